// omp_all_memory: a dependence on everything that earlier and later siblings name.
// conformance: only clang: GCC 12 does not know omp_all_memory
#include "check.h"

static void waits_for_every_earlier_sibling_with_a_dependence(void) {
  int cells[20] = {0};
  int total = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 1; round <= 5; round++) {
    for (int i = 0; i < 20; i++) {
#pragma omp task depend(inout : cells[i]) shared(cells) firstprivate(i)
      {
        linger(1);
        cells[i]++;
      }
    }
#pragma omp task depend(inout : omp_all_memory) shared(cells, total) firstprivate(round)
    {
      for (int i = 0; i < 20; i++) CHECK_EQUAL(cells[i], round);
      total++;
    }
  }
  CHECK_EQUAL(total, 5);
}

static void holds_back_every_later_sibling_with_a_dependence(void) {
  int cells[20] = {0};
  int ready = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : omp_all_memory) shared(ready)
    {
      linger(50);
      ready = 1;
    }
    for (int i = 0; i < 20; i++) {
#pragma omp task depend(in : cells[i]) shared(ready)
      CHECK_EQUAL(ready, 1);
    }
  }
}

static void a_chain_of_them(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; i++) {
#pragma omp task depend(inout : omp_all_memory) shared(value) firstprivate(i)
    {
      CHECK_EQUAL(value, i);
      value++;
    }
  }
  CHECK_EQUAL(value, 50);
}

static void goes_with_named_items(void) {
  int a = 0;
  int b = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
#pragma omp task depend(inout : a) shared(a)
    a++;
#pragma omp task depend(inout : omp_all_memory) depend(in : a) shared(a, b) firstprivate(i)
    {
      CHECK_EQUAL(a, i + 1);
      b = a;
    }
#pragma omp task depend(in : b) shared(b) firstprivate(i)
    CHECK_EQUAL(b, i + 1);
  }
}

static void taskwait_for_all_memory(void) {
  int cells[10] = {0};
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 10; i++) {
#pragma omp task depend(out : cells[i]) shared(cells) firstprivate(i)
      {
        linger(1);
        cells[i] = 1;
      }
    }
#pragma omp taskwait depend(inout : omp_all_memory)
    for (int i = 0; i < 10; i++) CHECK_EQUAL(cells[i], 1);
  }
}

CASES(CASE(waits_for_every_earlier_sibling_with_a_dependence),
      CASE(holds_back_every_later_sibling_with_a_dependence), CASE(a_chain_of_them),
      CASE(goes_with_named_items), CASE(taskwait_for_all_memory))
