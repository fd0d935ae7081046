/* The C interface of Lares. Link with liblares: find_package(Lares) gives Lares::lares, pkg-config
   gives lares. A program needs none of this to run under `lares run`. */
#ifndef LARES_LARES_H
#define LARES_LARES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library in use, "MAJOR.MINOR.PATCH". A constant string; never NULL.
   Thread safety: any thread, any time. */
const char* lares_version(void);

/* 1 if this process was started by `lares run` and Lares schedules the tasks of its OpenMP regions,
   else 0: when it was started plainly, when the library of `lares run` could not be loaded (a
   statically linked or a setuid program), and when it leaves all tasks to the stock runtime.
   It does not tell whether a task has run yet. Thread safety: any thread, any time. */
int lares_active(void);

/* The number of locality domains: under `lares run` those of the run, as `lares topo` lists them,
   else the NUMA nodes that the process may use. At least 1. Thread safety: any thread, any time. */
int lares_domain_count(void);

/* The processors of a domain that this process may use, by the system's numbers, into at most
   `count` fields; gives how many there are: 0 if the domain has none or does not exist.
   `processors` may be NULL if `count` is 0. Constant while the process runs. Thread safety: any
   thread. */
size_t lares_domain_processors(int domain, int* processors, size_t count);

/* How far the memory of domain `to` is from the cores of domain `from`: 10 is local, 20 takes twice
   as long, as in numa_distance(). Under `lares run` it is that of the run: measured, if it was
   given a machine file that `lares measure` wrote (Schmidl 2016, section 2.3.2). In a process that
   was started plainly it is the firmware's, as the kernel tells it in /sys. Where nobody tells, it
   is made up: 10 at home, else 20 or what the levels of the machine suggest. It need not be the
   same in both directions. 0 if a domain does not exist. Constant while the process runs. Thread
   safety: any thread, any time. */
int lares_distance(int from, int to);

/* --- Teams that a bubble scheduler places (`lares run --bubbles`)
   ----------------------------------

   Hints of the calling thread, for as long as its team lasts; outside of a parallel region they are
   those of thread 0 of its next team. They decide where threads run, never what a program computes.
   Under `--bubbles off`, the default, and without Lares they do nothing. Each gives 0, or -1 with
   errno EINVAL for an argument that makes no sense. Thread safety: any thread, about itself. */

/* NOLINTBEGIN(readability-identifier-naming): types are named as C names them. */

/* When threads are placed anew. */
enum lares_shake {
  LARES_SHAKE_NOT = 0,         /* when the scheduler is asked for another reason */
  LARES_SHAKE_NEXT_REGION = 1, /* when the thread opens its next parallel region */
  LARES_SHAKE_NOW = 2,         /* at once; its own next teams go where it is */
  /* When every thread of its team has said so, which each waits for, as at a barrier: all are
     placed by all that is known then. */
  LARES_SHAKE_TEAM = 3
};

/* The calling thread uses this memory, wherever its pages are: the scheduler `memory` puts the
   thread to it, and whoever is stolen takes it along. May be called for several ranges. O(1): some
   64 pages are looked at. (ForestGOMP 4.2: set_current_thread_affinity) */
int lares_set_thread_affinity(const void* memory, size_t bytes, enum lares_shake shake);
/* Forgets all memory that the calling thread uses. */
int lares_clear_thread_affinity(void);
/* What the calling thread still has to do, in any unit, the same for all; 1 if it is not said. A
   core that has nothing to do takes threads from whoever has most (ForestGOMP 4.1.2). */
int lares_set_load(double work_left);
/* How much the calling thread asks of memory, 1 if it is not said: its data weighs so much more or
   less (ForestGOMP 4.1.1). */
int lares_set_memory_intensity(double intensity);

/* NOLINTEND(readability-identifier-naming) */

/* --- Taskgroups
   --------------------------------------------------------------------------------------------- */

/* The tasks that the calling task makes from now on in its innermost taskgroup use this memory, as
   if each had an `affinity` clause, also where the compiler drops that (GCC): they go to where most
   of it is, if the policy goes by data. For tasks that have no such clause themselves; whoever has
   a `depend` as well goes by this memory. The last call counts, and ends with the group; NULL and 0
   forget it. Tasks that these tasks make go by what is said in them. It decides where tasks run,
   never what a program computes. Without Lares it does nothing; where the calling task has no
   taskgroup open it does nothing but tell so, once. 0, or -1 with errno EINVAL for an argument that
   makes no sense. Thread safety: any thread, about the task that it runs. O(1). */
int lares_set_taskgroup_affinity(const void* memory, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif /* LARES_LARES_H */
