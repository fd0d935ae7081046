// Nested parallel regions with tasks at both levels.
// conformance: env OMP_MAX_ACTIVE_LEVELS=3
#include "check.h"

static void tasks_at_both_levels(void) {
  int inner = 0;
  int outer = 0;
#pragma omp parallel num_threads(2)
  {
    for (int i = 0; i < 5; i++) {
#pragma omp task shared(outer)
      bump(&outer);
    }
#pragma omp parallel num_threads(2)
    for (int i = 0; i < 5; i++) {
#pragma omp task shared(inner)
      bump(&inner);
    }
  }
  CHECK_EQUAL(outer % 5, 0);
  CHECK_EQUAL(inner % 5, 0);
  CHECK(outer > 0 && inner > 0);
}

static void an_inner_region_completes_its_own_tasks(void) {
  int bad = 0;
#pragma omp parallel num_threads(2)
  for (int round = 0; round < 10; round++) {
    int done = 0;
    int threads = 0;
#pragma omp parallel num_threads(2) shared(done, threads)
    {
#pragma omp atomic write
      threads = omp_get_num_threads();
      for (int i = 0; i < 10; i++) {
#pragma omp task shared(done)
        bump(&done);
      }
    }
    if (done != 10 * threads) bump(&bad);
  }
  CHECK_EQUAL(bad, 0);
}

static void a_region_inside_a_task(void) {
  int total = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 6; i++) {
#pragma omp task shared(total)
    {
      int mine = 0;
#pragma omp parallel num_threads(2) shared(mine)
#pragma omp single
      for (int j = 0; j < 10; j++) {
#pragma omp task shared(mine)
        bump(&mine);
      }
      CHECK_EQUAL(mine, 10);
#pragma omp atomic
      total += mine;
    }
  }
  CHECK_EQUAL(total, 60);
}

static void outer_tasks_stay_pending_across_an_inner_region(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int round = 0; round < 5; round++) {
    int done = 0;
    int inner = 0;
    for (int i = 0; i < 20; i++) {
#pragma omp task shared(done)
      {
        linger(1);
        bump(&done);
      }
    }
#pragma omp parallel num_threads(2) shared(inner)
#pragma omp single
    {
#pragma omp task shared(inner)
      bump(&inner);
    }
    CHECK_EQUAL(inner, 1);
#pragma omp taskwait
    CHECK_EQUAL(value_of(&done), 20);
  }
}

static void dependences_inside_an_inner_region(void) {
  int bad = 0;
#pragma omp parallel num_threads(3)
  {
    int value = 0;
#pragma omp parallel num_threads(2) shared(value)
#pragma omp single
    for (int i = 0; i < 30; i++) {
#pragma omp task depend(inout : value) shared(value, bad) firstprivate(i)
      {
        if (value != i) bump(&bad);
        value++;
      }
    }
    if (value != 30) bump(&bad);
  }
  CHECK_EQUAL(bad, 0);
}

static void three_levels(void) {
  int done = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task shared(done)
    {
#pragma omp parallel num_threads(2)
#pragma omp single
      {
#pragma omp task shared(done)
        {
#pragma omp parallel num_threads(2)
#pragma omp single
          for (int i = 0; i < 5; i++) {
#pragma omp task shared(done)
            bump(&done);
          }
          bump(&done);
        }
      }
      bump(&done);
    }
  }
  CHECK_EQUAL(done, 7);
}

static void regions_of_changing_size(void) {
  for (int round = 0; round < 24; round++) {
    int done = 0;
    int threads = 0;
    int sizes[] = {2, 4, 1, 8, 3, 1};
#pragma omp parallel num_threads(sizes[round % 6]) shared(done, threads)
    {
#pragma omp single nowait
      threads = omp_get_num_threads();
      for (int i = 0; i < 4; i++) {
#pragma omp task shared(done)
        bump(&done);
      }
    }
    CHECK_EQUAL(done, 4 * threads);
  }
}

static void worksharing_inside_an_inner_region(void) {
  int done = 0;
  int regions = 0;
#pragma omp parallel num_threads(2)
  {
    bump(&regions);
#pragma omp parallel for num_threads(2) schedule(dynamic)
    for (int i = 0; i < 20; i++) {
#pragma omp task shared(done)
      bump(&done);
    }
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop grainsize(3)
    for (int i = 0; i < 20; i++) bump(&done);
  }
  CHECK_EQUAL(done, 40 * regions);
}

static void a_taskgroup_does_not_wait_for_another_team(void) {
  int done = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskgroup
  {
#pragma omp task shared(done)
    {
#pragma omp parallel num_threads(2)
      {
#pragma omp taskgroup
        {
#pragma omp task shared(done)
          bump(&done);
        }
      }
      CHECK(value_of(&done) >= 1);
    }
  }
  CHECK(done >= 1);
}

CASES(CASE(tasks_at_both_levels), CASE(an_inner_region_completes_its_own_tasks),
      CASE(a_region_inside_a_task), CASE(outer_tasks_stay_pending_across_an_inner_region),
      CASE(dependences_inside_an_inner_region), CASE(three_levels), CASE(regions_of_changing_size),
      CASE(worksharing_inside_an_inner_region), CASE(a_taskgroup_does_not_wait_for_another_team))
