// Depend objects that an iterator picks.
// conformance: only gcc: Clang 19 overruns the creator's stack for iterators over depend objects
#include "check.h"

static void an_iterator_picks_objects(void) {
  enum { count = 4 };
  int cells[count] = {0};
  omp_depend_t objects[count];
  for (int i = 0; i < count; i++) {
#pragma omp depobj(objects[i]) depend(inout : cells[i])
  }
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 10; round++) {
    for (int i = 0; i < count; i++) {
#pragma omp task depend(inout : cells[i]) shared(cells) firstprivate(i)
      cells[i]++;
    }
#pragma omp task depend(iterator(k = 0 : count), depobj : *(objects + k)) shared(cells) \
    firstprivate(round)
    for (int i = 0; i < count; i++) CHECK_EQUAL(cells[i], round + 1);
  }
  for (int i = 0; i < count; i++) {
#pragma omp depobj(objects[i]) destroy
  }
}

CASES(CASE(an_iterator_picks_objects))
