// Tasks where there is one thread: outside of regions, in teams of one, in serialised regions.
#include "check.h"

static int fib(int n) {
  int a;
  int b;
  if (n < 2) return n;
#pragma omp task shared(a) firstprivate(n)
  a = fib(n - 1);
#pragma omp task shared(b) firstprivate(n)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

static void outside_of_any_region(void) { CHECK_EQUAL(fib(14), 377); }

static void tasks_outside_are_complete_after_taskwait(void) {
  int done = 0;
  for (int i = 0; i < 100; i++) {
#pragma omp task shared(done)
    {
#pragma omp task shared(done)
      bump(&done);
      bump(&done);
#pragma omp taskwait
    }
  }
#pragma omp taskwait
  CHECK_EQUAL(done, 200);
}

static void dependences_outside_of_any_region(void) {
  int value = 0;
  for (int i = 0; i < 50; i++) {
#pragma omp task depend(inout : value) shared(value) firstprivate(i)
    {
      CHECK_EQUAL(value, i);
      value++;
    }
  }
#pragma omp taskwait depend(in : value)
  CHECK_EQUAL(value, 50);
#pragma omp taskwait
}

static void a_barrier_outside_of_any_region(void) {
  int done = 0;
#pragma omp task shared(done)
  bump(&done);
#pragma omp barrier
  CHECK_EQUAL(done, 1);
}

static void worksharing_outside_of_any_region(void) {
  int done = 0;
#pragma omp for
  for (int i = 0; i < 10; i++) {
#pragma omp task shared(done)
    bump(&done);
  }
#pragma omp single
  {
#pragma omp task shared(done)
    bump(&done);
  }
#pragma omp sections
  {
#pragma omp section
    {
#pragma omp task shared(done)
      bump(&done);
    }
  }
#pragma omp taskwait
  CHECK_EQUAL(done, 12);
}

static void a_region_that_is_off(void) {
  int result = 0;
#pragma omp parallel if (0)
  {
    CHECK_EQUAL(omp_get_num_threads(), 1);
#pragma omp single
    result = fib(12);
  }
  CHECK_EQUAL(result, 144);
}

static void a_team_of_one(void) {
  int result = 0;
  int done = 0;
#pragma omp parallel num_threads(1)
  {
    CHECK_EQUAL(omp_get_num_threads(), 1);
    for (int i = 0; i < 50; i++) {
#pragma omp task shared(done)
      bump(&done);
    }
#pragma omp barrier
    CHECK_EQUAL(done, 50);
#pragma omp single
    result = fib(12);
  }
  CHECK_EQUAL(result, 144);
}

static void a_serialised_inner_region(void) {
  int bad = 0;
#pragma omp parallel
  {
    int done = 0;
#pragma omp parallel if (0) shared(done)
    for (int i = 0; i < 10; i++) {
#pragma omp task shared(done)
      bump(&done);
    }
    if (done != 10) bump(&bad);
#pragma omp parallel num_threads(1) shared(done)
    {
#pragma omp taskloop grainsize(1) shared(done)
      for (int i = 0; i < 10; i++) bump(&done);
    }
    if (done != 20) bump(&bad);
  }
  CHECK_EQUAL(bad, 0);
}

static void tasks_of_the_outer_team_around_a_serialised_region(void) {
  int outer = 0;
  int bad = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 20; i++) {
#pragma omp task shared(outer, bad)
      {
        int inner = 0;
#pragma omp parallel if (0) shared(inner)
        {
#pragma omp task shared(inner)
          bump(&inner);
        }
        if (inner != 1) bump(&bad);
        bump(&outer);
      }
    }
#pragma omp taskwait
    CHECK_EQUAL(value_of(&outer), 20);
  }
  CHECK_EQUAL(bad, 0);
}

static void regions_follow_tasks_outside(void) {
  for (int round = 0; round < 20; round++) {
    int done = 0;
#pragma omp task shared(done)
    bump(&done);
#pragma omp taskwait
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(done)
      bump(&done);
    }
    CHECK_EQUAL(done, 2);
  }
}

CASES(CASE(outside_of_any_region), CASE(tasks_outside_are_complete_after_taskwait),
      CASE(dependences_outside_of_any_region), CASE(a_barrier_outside_of_any_region),
      CASE(worksharing_outside_of_any_region), CASE(a_region_that_is_off), CASE(a_team_of_one),
      CASE(a_serialised_inner_region), CASE(tasks_of_the_outer_team_around_a_serialised_region),
      CASE(regions_follow_tasks_outside))
