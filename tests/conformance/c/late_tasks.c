// Regions that make no tasks for long, and then do: whoever has stopped to look at them looks
// again.
#include "check.h"

enum { rounds = 120, first_with_tasks = 60, tasks = 20 };

static void make_tasks(int round, int* done) {
  if (round < first_with_tasks) return;
  for (int i = 0; i < tasks; i++) {
#pragma omp task firstprivate(done)
    bump(done);
  }
#pragma omp taskwait
}

static void of_an_outer_region(void) {
  int done = 0;
  for (int round = 0; round < rounds; round++) {
#pragma omp parallel
#pragma omp single
    make_tasks(round, &done);
  }
  CHECK_EQUAL(value_of(&done), (rounds - first_with_tasks) * tasks);
}

static void of_an_inner_region(void) {
  omp_set_max_active_levels(2);
  for (int inner = 1; inner <= 2; inner++) {
    int done = 0;
    int masters = 0;
#pragma omp parallel num_threads(2)
    {
      bump(&masters);
      for (int round = 0; round < rounds; round++) {
#pragma omp parallel num_threads(inner)
#pragma omp single
        make_tasks(round, &done);
      }
    }
    CHECK_EQUAL(value_of(&done), value_of(&masters) * (rounds - first_with_tasks) * tasks);
  }
}

static void of_regions_that_take_turns(void) {
  int done = 0;
  for (int round = 0; round < rounds; round++) {
#pragma omp parallel for
    for (int i = 0; i < 4; i++) make_tasks(round, &done);
#pragma omp parallel sections
    {
#pragma omp section
      make_tasks(round, &done);
#pragma omp section
      make_tasks(round, &done);
    }
  }
  CHECK_EQUAL(value_of(&done), 6 * (rounds - first_with_tasks) * tasks);
}

static void a_barrier_of_one_thread_completes_them(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
    int done = 0;
#pragma omp parallel num_threads(1)
    for (int round = 0; round < rounds; round++) {
      if (round >= first_with_tasks) {
#pragma omp task shared(done)
        bump(&done);
      }
#pragma omp barrier
      CHECK_EQUAL(value_of(&done), round < first_with_tasks ? 0 : round - first_with_tasks + 1);
    }
  }
}

CASES(CASE(of_an_outer_region), CASE(of_an_inner_region), CASE(of_regions_that_take_turns),
      CASE(a_barrier_of_one_thread_completes_them))
