/* A program of the walker: a tree that a seed draws. See walk/ for what each node does.
 *
 * What a field says that cannot be done where the node stands, walk/ leaves out; so every tree,
 * and every tree with parts dropped, is a valid program.
 */
#ifndef LARES_GENERATED_TREE_H
#define LARES_GENERATED_TREE_H

#include "shadow.h"

/* Line breaks that clang-format would change at each run. */
/* clang-format off */
#define KINDS(X)                                                                                     \
  X(work) X(yield) X(taskwait) X(depwait) X(task) X(group) X(domain) X(repeat) X(call) X(taskloop)   \
  X(recurse) X(successors) X(flood) X(parallel) X(combined) X(barrier) X(cancel) X(single) X(masked) \
  X(sections) X(critical) X(lock) X(loop) X(doacross)
/* clang-format on */

/* 0 is always the plainest value; the shrinker sets fields to it. */
#define FIELDS(X)                                                                         \
  X(count)      /* of iterations, cells, levels, units of work */                         \
  X(width)      /* of a recursion */                                                      \
  X(threads)    /* 0: as many as the runtime likes */                                     \
  X(undeferred) /* if(0) */                                                               \
  X(untied)                                                                               \
  X(mergeable)                                                                            \
  X(final) /* 1: final(0), 2: final(1) */                                                 \
  X(priority)                                                                             \
  X(detach)    /* enum detach */                                                          \
  X(reduces)   /* takes part in the reduction around it */                                \
  X(operation) /* of its own reduction: 1 + SH_ADD... */                                  \
  X(modifier)  /* reduction(task, ...) */                                                 \
  X(payload)   /* 1: firstprivate array, more: one of so many elements */                 \
  X(cancels)   /* 1: cancel, 2: cancellation point */                                     \
  X(via)       /* 1: depobj */                                                            \
  X(all)       /* omp_all_memory */                                                       \
  X(wait)      /* of a recursion: 1 taskwait, 2 taskgroup */                              \
  X(grouped)                                                                              \
  X(nowait)                                                                               \
  X(grain)    /* 1, 3: grainsize, 2, 4: num_tasks; 3, 4: strict */                        \
  X(size)     /* of the grain, or of a chunk */                                           \
  X(schedule) /* 1 static, 2 static with chunk, 3 dynamic, 4 guided, 5 and up: runtime */ \
  X(ordered)                                                                              \
  X(collapse)                                                                             \
  X(type) /* int, unsigned, long, unsigned long */                                        \
  X(low)  /* -1: close to the end of the type */                                          \
  X(step) /* less 1 */                                                                    \
  X(down)                                                                                 \
  X(copyprivate)                                                                          \
  X(bind)  /* 1 close, 2 spread */                                                        \
  X(shape) /* of a combined construct */                                                  \
  X(where) /* enum unit */

enum kind {
#define X(name) k_##name,
  KINDS(X)
#undef X
      kinds
};

enum detach { by_nobody, by_body, by_thread, by_creator, by_sibling };
enum unit { unit_own, unit_same, unit_other };
enum access { a_in, a_out, a_inout, a_mutex, a_set, access_kinds };
enum { max_items = 6 };

struct node {
  enum kind kind;
  int number;
  int last; /* number in its subtree */
#define X(name) int name;
  FIELDS(X)
#undef X
  int items;
  struct {
    int kind;
    int cell;
  } item[max_items];
  int all_deferred; /* no if(0) and no taskwait with depend below */
  struct node* first;
  struct node* next;
};

struct tree {
  int seed;
  int copies;
  int stack_kib;
  int small; /* few tasks in all */
  struct node* first;
};

/* What WALK_DROP says: numbers of nodes, or NUMBER.FIELD for one that shall be 0; separated by
 * commas. */
const struct tree* draw_tree(int seed, const char* drop);
void print_tree(const struct tree* tree);

/* Where a node is walked. */
struct place {
  handle task;
  handle domain;
  char* cells;
  int count;
  int domain_deferred;
  int reduced; /* 1 + the index of the innermost reduction that tasks may take part in */
  handle reduction;
  int operation;
  int* slots;          /* constructs of the region that this thread has met */
  long* totals;        /* of the region, for its loops: one for each operation */
  const handle* folds; /* of the totals */
  char region;         /* every thread of the team is here, with its implicit task */
  char team;           /* somewhere inside of a parallel region */
  char alone;          /* the team may have one thread only */
  char final;
  char in_group; /* of a cancellable taskgroup */
  char inexact;  /* what is created here may be discarded */
  char may_cancel;
  char cancellable;
};

typedef void walker(const struct node* first, const struct place* place);
extern walker* walkers[3]; /* by enum unit; none where a library is not linked */
extern const struct tree* walked;

#endif
