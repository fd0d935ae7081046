/* What the parts of a walker share. A walker walks a program of tree.h: one site for each construct
 * and shape, all other clauses by their values.
 *
 * Built as a part of the executable and again as libraries, UNIT says which: the same sources by
 * the same and by the other compiler. What a stock runtime gets wrong is left out, as in emit.py,
 * with a comment.
 */
#ifndef LARES_GENERATED_WALK_H
#define LARES_GENERATED_WALK_H

#include "tree.h"

#include <limits.h>
#include <omp.h>
#include <stdint.h>

/* Each library calls its own. */
#pragma GCC visibility push(hidden)

#if defined(__clang__)
enum { by_gcc = 0 };
#else
enum { by_gcc = 1 };
#endif

/* Calls of omp_* reach the runtime of this file: not in a library of the other compiler. */
enum { own_runtime = UNIT != unit_other };
enum { max_slots = 58, max_count = 8, max_payload = 90 };

/* Clang takes no array of variable length. */
#if defined(__clang__)
#define LENGTH(count) max_payload
#else
#define LENGTH(count) (count)
#endif

#define TEXT(...) #__VA_ARGS__
#define OMP(...) _Pragma(TEXT(omp __VA_ARGS__))

/* walk.c */
void walk_all(const struct node* first, const struct place* place);
void walk_one(const struct node* node, const struct place* place);

static inline struct place in_task(const struct place* place, handle task) {
  struct place inside = *place;
  inside.task = task;
  inside.region = 0;
  inside.domain = 0;
  return inside;
}

static inline struct place without_region(const struct place* place) {
  struct place inside = *place;
  inside.region = 0;
  return inside;
}

/* reductions.c: items of reductions that tasks may take part in. */
enum { sums = 4 };
extern long sum0, sum1, sum2, sum3;
int take_sum(long initial);
void check_sum(int k, handle reduction);
void fold(int operation, long* value, long amount);
handle new_reduction(const struct place* place, int operation, long initial);
int may_reduce(const struct place* place);

/* The case of an item in the switches below; the arguments are the case, operation, sign, item. */
#define SITE_OF(operation, k) (((operation) - 1) * sums + (k))
/* clang-format off */
#define FOUR(X, number, operation)                                                              \
  X(SITE_OF(number, 0), number, operation, sum0) X(SITE_OF(number, 1), number, operation, sum1) \
  X(SITE_OF(number, 2), number, operation, sum2) X(SITE_OF(number, 3), number, operation, sum3)
/* clang-format on */
#define ITEMS(X) FOUR(X, 1, +) FOUR(X, 2, ^) FOUR(X, 3, |) FOUR(X, 4, max)

#define OPERATIONS(X) X(1, +) X(2, ^) X(3, |) X(4, max)

/* depends.c */
void depwait(const struct node* node, const struct place* place);
void domain(const struct node* node, const struct place* place);

/* tasks.c */
int is_final(const struct node* node, const struct place* place);
int is_undeferred(const struct node* node);
void task(const struct node* node, const struct place* place);
void group(const struct node* node, const struct place* place);

/* taskloops.c; the body is that of every loop whose iterations are all that the shadow sees. */
struct looped {
  const struct node* node;
  struct place place;
  handle loop;
};
void taskloop_body(const struct looped* l, long index, long* sum);
void taskloop(const struct node* node, const struct place* place);

/* volume.c: many tasks */
void recursion(const struct node* node, const struct place* place);
void successors(const struct node* node, const struct place* place);
void flood(const struct node* node, const struct place* place);

/* regions.c */
void parallel(const struct node* node, const struct place* place);
void combined(const struct node* node, const struct place* place);

/* sharing.c: slots count the worksharing constructs that a thread meets, the same number in each
 * thread; -1: not here. */
int new_slot(const struct place* place);
void end_sharing(const struct place* place, int slot, int nowait, long count);
void barrier(const struct place* place);
void single(const struct node* node, const struct place* place);
void masked(const struct node* node, const struct place* place);
void sections(const struct node* node, const struct place* place);
void critical(const struct node* node, const struct place* place);
void lock(const struct node* node, const struct place* place);

/* loops.c */
void loop(const struct node* drawn, const struct place* place);
void doacross(const struct node* node, const struct place* place);

#pragma GCC visibility pop
#endif
