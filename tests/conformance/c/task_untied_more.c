// Untied tasks that create tasks in a loop of their own, that are undeferred, or that are final.
// conformance: only gcc: Clang 19 miscompiles loops in untied tasks, and libomp 19 asserts on undeferred and final ones
#include "check.h"

static void each_part_runs_once_and_in_order(void) {
  int bad = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 60; i++) {
#pragma omp task untied shared(bad)
    {
      int part = 0;
      for (int j = 0; j < 5; j++) {
        if (part != j) bump(&bad);
        part++;
#pragma omp task shared(bad) firstprivate(j)
        if (j < 0) bump(&bad);
#pragma omp taskyield
      }
#pragma omp taskwait
      if (part != 5) bump(&bad);
    }
  }
  CHECK_EQUAL(bad, 0);
}

static void an_untied_producer_feeds_the_team(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
#pragma omp task untied shared(done)
  for (int i = 0; i < 2000; i++) {
#pragma omp task shared(done)
    bump(&done);
  }
  CHECK_EQUAL(done, 2000);
}

static void locals_survive_a_taskgroup(void) {
  int bad = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; i++) {
#pragma omp task untied shared(bad) firstprivate(i)
    {
      int done = 0;
#pragma omp taskgroup
      for (int j = 0; j < 4; j++) {
#pragma omp task shared(done)
        bump(&done);
      }
      if (value_of(&done) != 4) bump(&bad);
    }
  }
  CHECK_EQUAL(bad, 0);
}

static void an_undeferred_untied_task_may_yield(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
    int sum = 0;
    int child = 0;
#pragma omp task untied if (0) shared(sum, child)
    {
#pragma omp taskyield
      sum += 1;
#pragma omp task shared(child)
      child = 1;
#pragma omp taskwait
      sum += child;
    }
    CHECK_EQUAL(sum, 2);
  }
}

static void an_included_untied_task_may_yield(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
#pragma omp task untied final(1) shared(sum)
  {
#pragma omp task untied shared(sum)
    {
#pragma omp taskyield
      sum += 1;
    }
    CHECK_EQUAL(sum, 1);
  }
}

static void untied_tasks_may_be_undeferred_or_final(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task untied if (0) shared(sum)
    sum += 1;
    CHECK_EQUAL(sum, 1);
#pragma omp task untied final(1) shared(sum)
    sum += 10;
  }
  CHECK_EQUAL(sum, 11);
}

CASES(CASE(untied_tasks_may_be_undeferred_or_final), CASE(an_included_untied_task_may_yield),
      CASE(an_undeferred_untied_task_may_yield), CASE(each_part_runs_once_and_in_order),
      CASE(an_untied_producer_feeds_the_team), CASE(locals_survive_a_taskgroup))
