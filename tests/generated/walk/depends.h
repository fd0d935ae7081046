/* The depend clauses of a task, as values. */
#ifndef LARES_GENERATED_DEPENDS_H
#define LARES_GENERATED_DEPENDS_H

#include "walk/walk.h"

struct depends {
  int n[access_kinds];
  char* cell[access_kinds][max_items];
  int all;
  int via_object;
  omp_depend_t object;
};

#pragma GCC visibility push(hidden)
/* Tells the shadow, unless the task is none for it, and fills in the clauses. */
void collect(struct depends* d, const struct node* node, const struct place* place, handle task);
#pragma GCC visibility pop

#if defined(__clang__)
#define DEPEND_SETS depend(iterator(int z = 0 : d.n[a_set]), inoutset : d.cell[a_set][z][0])
#define DEPEND_ALL depend(inout : omp_all_memory)
#else
#define DEPEND_SETS
#define DEPEND_ALL
#endif
#define DEPEND_PLAIN                                                      \
  depend(iterator(int z = 0 : d.n[a_in]), in : d.cell[a_in][z][0])        \
      depend(iterator(int z = 0 : d.n[a_out]), out : d.cell[a_out][z][0]) \
          depend(iterator(int z = 0 : d.n[a_inout]), inout : d.cell[a_inout][z][0])
#define DEPEND_EACH \
  DEPEND_PLAIN      \
  depend(iterator(int z = 0 : d.n[a_mutex]), mutexinoutset : d.cell[a_mutex][z][0]) DEPEND_SETS
/* Clang 19 orders wrongly what has depobj in an iterator. */
#define DEPEND_OBJECT depend(depobj : object) DEPEND_EACH

#endif
