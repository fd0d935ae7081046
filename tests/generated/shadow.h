/* What generated programs report to while they run: the shadow of their tasks.
 *
 * A program tells before it creates a task, when a body begins and ends, and after each wait. The
 * shadow knows what must be true at that moment and ends the process with one line if it is not. It
 * is built once, without OpenMP, so a runtime under test cannot confuse it. A handle stands for a
 * task or another thing below; all are valid until their case ends.
 */
#ifndef LARES_GENERATED_SHADOW_H
#define LARES_GENERATED_SHADOW_H

#ifdef __cplusplus
extern "C" {
#endif

typedef long handle;

enum { SH_IN, SH_OUT, SH_MUTEX, SH_INOUTSET };
enum { SH_ADD, SH_XOR, SH_OR, SH_MAX };

struct sh_case {
  int number;
  void (*body)(handle root);
  int stack_kib; /* 0: on the main thread; otherwise on a thread with that stack */
  int copies;    /* how many threads run the case at once */
};

/* Runs the cases named in the arguments, or all. `--progress FILE` keeps the current number there.
 */
int sh_main(int argc, char** argv, const struct sh_case* cases, int count);
/* The same for cases that are made when their turn comes: make() fills in what the number stands
 * for. */
int sh_main_of(int argc, char** argv, void (*make)(struct sh_case*));

/* Tasks. `site` is their number in the text. */
handle sh_task(handle self, int site);
void sh_access(handle task, handle domain, int cell, int kind);
void sh_begin(handle task, int tied);
void sh_end(handle task);
/* Around what may end the body early: a cancel construct or a cancellation point. */
void sh_leave(handle task);
void sh_return(handle task);
/* The task completes only when sh_drop was called, too: by whoever is about to fulfil its event. */
void sh_detach(handle task);
void sh_drop(handle task);
/* The same by a thread that is not OpenMP's: drops and then calls fulfill(event). */
void sh_drop_elsewhere(handle task, unsigned long event, void (*fulfill)(unsigned long));

/* The current task as a library sees it whose runtime is another one: without children. */
handle sh_guest(handle self);

/* Addresses for depend clauses, and what they order; for children of one task. */
handle sh_domain(handle self, int cells);
char* sh_cells(handle domain);

/* After the construct of the same name. */
void sh_taskwait(handle self);
void sh_group(handle self, int may_cancel);
void sh_group_end(handle self);

/* Teams: every thread is a member; a slot is one worksharing construct of the region. */
handle sh_team(handle self, int may_cancel);
handle sh_member(handle team);
void sh_member_end(handle self);
void sh_team_end(handle team);
void sh_barrier(handle self);
handle sh_hit(handle self, int slot, long index, long count);
void sh_hit_end(handle iteration);
void sh_may_miss(handle self, int slot, int may);
void sh_all_hit(handle self, int slot);
void sh_ordered(handle self, int slot, long index);
void sh_critical(handle self, int enter);

/* Loops of tasks. */
handle sh_loop(handle self, long count, int grouped);
handle sh_iteration(handle loop, long index);
void sh_iteration_end(handle iteration);
void sh_loop_end(handle loop);

/* Reductions: what is folded must be what comes out. */
handle sh_reduction(handle self, int operation, long initial);
long sh_amount(handle reduction, int site);
void sh_reduced(handle reduction, long result);

/* Many small tasks, without a handle each. */
handle sh_counter(handle self);
void sh_count(handle counter);
void sh_counted(handle counter, long expected);

/* Private data. */
void sh_fill(int* data, int count, int site);
void sh_filled(const int* data, int count, int site);
void sh_object(int change);

void sh_expect(long actual, long expected, const char* what);
void sh_work(int units);

#ifdef __cplusplus
}
#endif
#endif
