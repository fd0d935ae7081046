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

/* --- Threads and their data ------------------------------------------------------------------ */

/* NOLINTBEGIN(readability-identifier-naming): types are named as C names them. */

/* When a thread goes to its data. */
enum lares_shake { LARES_SHAKE_NOT = 0, LARES_SHAKE_NEXT_REGION = 1, LARES_SHAKE_NOW = 2 };

/* NOLINTEND(readability-identifier-naming) */

/* The following are for the calling thread. Outside of `lares run`, and under `--bubbles off`, they
   give 0 and do nothing (ForestGOMP 2010, Table 3).

   This data is the thread's, wherever its pages are; with LARES_SHAKE_NOW the thread and its coming
   teams go to it at once. */
int lares_set_thread_affinity(const void* memory, size_t bytes, enum lares_shake shake);
/* Forgets all of the thread's data. */
int lares_clear_thread_affinity(void);
/* How much work the thread has left, in units of the program's choice: for whoever steals threads.
 */
int lares_set_load(double work_left);
/* How much of its time the thread waits for memory, from 0 to 1. */
int lares_set_memory_intensity(double intensity);

#ifdef __cplusplus
}
#endif

#endif /* LARES_LARES_H */
