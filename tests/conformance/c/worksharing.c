// Tasks made inside worksharing and other constructs of a team, with and without nowait.
// conformance: stock-fails clang lastprivate_dynamic_loops_with_tasks: libomp 19 loses it now and then
#include "check.h"

static void a_loop_with_nowait(void) {
  int done = 0;
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < 60; i++) {
#pragma omp task shared(done)
      bump(&done);
    }
#pragma omp barrier
    CHECK_EQUAL(value_of(&done), 60);
  }
}

static void loops_with_nowait_in_a_row(void) {
  int done = 0;
#pragma omp parallel
  {
    for (int round = 0; round < 10; round++) {
#pragma omp for nowait schedule(dynamic, 2)
      for (int i = 0; i < 20; i++) {
#pragma omp task shared(done)
        bump(&done);
      }
    }
  }
  CHECK_EQUAL(done, 200);
}

static void single_with_nowait_in_a_row(void) {
  int done = 0;
#pragma omp parallel
  for (int round = 0; round < 50; round++) {
#pragma omp single nowait
    {
#pragma omp task shared(done)
      bump(&done);
    }
  }
  CHECK_EQUAL(done, 50);
}

static void sections_with_nowait(void) {
  int done = 0;
#pragma omp parallel
  for (int round = 0; round < 10; round++) {
#pragma omp sections nowait
    {
#pragma omp section
      {
#pragma omp task shared(done)
        bump(&done);
      }
#pragma omp section
      {
#pragma omp task shared(done)
        bump(&done);
      }
    }
  }
  CHECK_EQUAL(done, 20);
}

static void combined_parallel_sections(void) {
  int done = 0;
#pragma omp parallel sections
  {
#pragma omp section
    for (int i = 0; i < 10; i++) {
#pragma omp task shared(done)
      bump(&done);
    }
#pragma omp section
    {
      int mine = 0;
#pragma omp task shared(mine)
      mine = 1;
#pragma omp taskwait
      if (mine == 1) bump(&done);
    }
#pragma omp section
    bump(&done);
  }
  CHECK_EQUAL(done, 12);
}

static void combined_parallel_loops(void) {
  int done = 0;
#pragma omp parallel for schedule(dynamic, 3)
  for (int i = 0; i < 50; i++) {
#pragma omp task shared(done)
    bump(&done);
  }
  CHECK_EQUAL(done, 50);
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < 50; i++) {
#pragma omp task shared(done)
    bump(&done);
  }
  CHECK_EQUAL(done, 100);
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < 50; i++) {
#pragma omp task shared(done)
    bump(&done);
  }
  CHECK_EQUAL(done, 150);
}

static void master_and_masked(void) {
  int done = 0;
#pragma omp parallel
  {
#pragma omp master
    for (int i = 0; i < 20; i++) {
#pragma omp task shared(done)
      bump(&done);
    }
#pragma omp masked filter(omp_get_num_threads() - 1)
    for (int i = 0; i < 20; i++) {
#pragma omp task shared(done)
      bump(&done);
    }
  }
  CHECK_EQUAL(done, 40);
}

static void copyprivate_with_tasks_pending(void) {
  int done = 0;
  int bad = 0;
#pragma omp parallel
  for (int round = 0; round < 20; round++) {
    int value = -1;
    double other = -1;
#pragma omp task shared(done)
    {
      linger(1);
      bump(&done);
    }
#pragma omp single copyprivate(value, other)
    {
#pragma omp task shared(done)
      bump(&done);
      value = round;
      other = round * 0.5;
    }
    if (value != round || other != round * 0.5) bump(&bad);
  }
  CHECK_EQUAL(bad, 0);
  CHECK(done > 20);
}

static void ordered_loops_with_tasks(void) {
  int next = 0;
  int done = 0;
#pragma omp parallel
#pragma omp for ordered schedule(dynamic)
  for (int i = 0; i < 50; i++) {
#pragma omp task shared(done)
    bump(&done);
#pragma omp ordered
    {
      CHECK_EQUAL(next, i);
      next++;
    }
  }
  CHECK_EQUAL(next, 50);
  CHECK_EQUAL(done, 50);
}

static void ordered_static_loops_with_tasks(void) {
  int next = 0;
  int done = 0;
#pragma omp parallel for ordered schedule(static, 1)
  for (int i = 0; i < 50; i++) {
#pragma omp ordered
    {
      CHECK_EQUAL(next, i);
      next++;
#pragma omp task shared(done)
      bump(&done);
    }
  }
  CHECK_EQUAL(done, 50);
}

static void cross_iteration_dependences_with_tasks(void) {
  static int cells[41];
  int done = 0;
  memset(cells, 0, sizeof cells);
#pragma omp parallel for ordered(1) schedule(static, 1)
  for (int i = 1; i <= 40; i++) {
#pragma omp task shared(done)
    bump(&done);
#pragma omp ordered depend(sink : i - 1)
    cells[i] = cells[i - 1] + i;
#pragma omp ordered depend(source)
  }
  CHECK_EQUAL(cells[40], 820);
  CHECK_EQUAL(done, 40);
}

static void reductions_with_tasks_pending(void) {
  int done = 0;
  for (int round = 1; round <= 10; round++) {
    int sum = 0;
#pragma omp parallel
    {
#pragma omp task shared(done)
      {
        linger(1);
        bump(&done);
      }
#pragma omp for reduction(+ : sum)
      for (int i = 0; i < 100; i++) sum += i;
      CHECK_EQUAL(sum, 4950);
    }
    CHECK_EQUAL(sum, 4950);
  }
  CHECK(done >= 10);
}

static void a_region_reduction_with_tasks(void) {
  int sum = 0;
  int done = 0;
  int threads = 0;
#pragma omp parallel reduction(+ : sum)
  {
#pragma omp atomic write
    threads = omp_get_num_threads();
    int mine = 0;
    for (int i = 0; i < 10; i++) {
#pragma omp task shared(mine)
      bump(&mine);
#pragma omp task shared(done)
      bump(&done);
    }
#pragma omp taskwait
    sum += mine;
  }
  CHECK_EQUAL(sum, 10 * threads);
  CHECK_EQUAL(done, 10 * threads);
}

static void lastprivate_dynamic_loops_with_tasks(void) {
  int last = 0;
  int done = 0;
#pragma omp parallel for lastprivate(last) schedule(dynamic, 4)
  for (int i = 0; i < 99; i++) {
    last = i;
#pragma omp task shared(done)
    bump(&done);
  }
  CHECK_EQUAL(last, 98);
  CHECK_EQUAL(done, 99);
}

static void lastprivate_loops_with_tasks(void) {
  int last = 0;
  int done = 0;
#pragma omp parallel for lastprivate(last) schedule(guided)
  for (int i = 0; i < 99; i++) {
    last = i;
#pragma omp task shared(done)
    bump(&done);
  }
  CHECK_EQUAL(last, 98);
  CHECK_EQUAL(done, 99);
}

static void the_loop_construct(void) {
  int cells[100] = {0};
#pragma omp parallel
#pragma omp loop
  for (int i = 0; i < 100; i++) cells[i]++;
  for (int i = 0; i < 100; i++) CHECK_EQUAL(cells[i], 1);
}

CASES(CASE(a_loop_with_nowait), CASE(loops_with_nowait_in_a_row), CASE(single_with_nowait_in_a_row),
      CASE(sections_with_nowait), CASE(combined_parallel_sections), CASE(combined_parallel_loops),
      CASE(master_and_masked), CASE(copyprivate_with_tasks_pending), CASE(ordered_loops_with_tasks),
      CASE(ordered_static_loops_with_tasks), CASE(cross_iteration_dependences_with_tasks),
      CASE(reductions_with_tasks_pending), CASE(a_region_reduction_with_tasks),
      CASE(lastprivate_loops_with_tasks), CASE(lastprivate_dynamic_loops_with_tasks),
      CASE(the_loop_construct))
