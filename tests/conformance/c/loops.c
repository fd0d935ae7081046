// Loops whose iterations are handed out at run time: every iteration once, whatever the schedule.
// conformance: env OMP_SCHEDULE=dynamic,3
#include <limits.h>

#include "check.h"

enum { count = 500 };

static int seen[count];

static void forget(void) { memset(seen, 0, sizeof seen); }

static void expect_each_once(void) {
  for (int i = 0; i < count; i++) CHECK_EQUAL(seen[i], 1);
}

static void dynamic_schedules(void) {
  forget();
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < count; i++) seen[i]++;
  expect_each_once();
  forget();
#pragma omp parallel for schedule(dynamic, 7)
  for (int i = 0; i < count; i++) seen[i]++;
  expect_each_once();
  forget();
#pragma omp parallel for schedule(monotonic : dynamic, 4)
  for (int i = 0; i < count; i++) seen[i]++;
  expect_each_once();
  forget();
#pragma omp parallel for schedule(nonmonotonic : dynamic, 4)
  for (int i = 0; i < count; i++) seen[i]++;
  expect_each_once();
}

static void guided_schedules(void) {
  forget();
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < count; i++) seen[i]++;
  expect_each_once();
  forget();
#pragma omp parallel for schedule(guided, 9)
  for (int i = 0; i < count; i++) seen[i]++;
  expect_each_once();
  forget();
#pragma omp parallel for schedule(nonmonotonic : guided, 2)
  for (int i = 0; i < count; i++) seen[i]++;
  expect_each_once();
}

static void the_schedule_of_the_environment(void) {
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
  CHECK_EQUAL(kind & 0xff, omp_sched_dynamic);
  CHECK_EQUAL(chunk, 3);
  forget();
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < count; i++) seen[i]++;
  expect_each_once();
}

static void schedules_that_the_program_sets(void) {
  static const omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided,
                                      omp_sched_auto};
  for (int k = 0; k < 4; k++)
    for (int chunk = 0; chunk < 12; chunk += 5) {
      omp_set_schedule(kinds[k], chunk);
      forget();
#pragma omp parallel for schedule(runtime)
      for (int i = 0; i < count; i++) seen[i]++;
      expect_each_once();
    }
  omp_set_schedule(omp_sched_dynamic, 3);
}

static void an_auto_schedule(void) {
  forget();
#pragma omp parallel for schedule(auto)
  for (int i = 0; i < count; i++) seen[i]++;
  expect_each_once();
}

static void orphaned_loops(void) {
  forget();
#pragma omp for schedule(dynamic, 3)
  for (int i = 0; i < count; i++) seen[i]++;
  expect_each_once();
}

static void more_chunk_than_loop(void) {
  int done = 0;
#pragma omp parallel for schedule(dynamic, 1000)
  for (int i = 0; i < 10; i++) bump(&done);
  CHECK_EQUAL(done, 10);
#pragma omp parallel for schedule(guided, 1000)
  for (int i = 0; i < 10; i++) bump(&done);
  CHECK_EQUAL(done, 20);
}

static void empty_loops(void) {
  int done = 0;
  int end = 0;
#pragma omp parallel
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < end; i++) bump(&done);
#pragma omp for schedule(guided)
    for (int i = 5; i < end; i++) bump(&done);
#pragma omp for schedule(runtime)
    for (unsigned long long i = 5; i < (unsigned long long)end; i++) bump(&done);
  }
  CHECK_EQUAL(done, 0);
}

static void steps_and_directions(void) {
  for (int step = 1; step < 9; step++) {
    int done = 0;
    int expected = 0;
    for (int i = 100; i > 3; i -= step) expected++;
#pragma omp parallel for schedule(dynamic, 2)
    for (int i = 100; i > 3; i -= step) bump(&done);
    CHECK_EQUAL(done, expected);
#pragma omp parallel for schedule(guided)
    for (int i = 4; i <= 100; i += step) bump(&done);
    CHECK_EQUAL(done, 2 * expected);
  }
}

static void wide_types(void) {
  int done = 0;
#pragma omp parallel for schedule(dynamic, 3)
  for (unsigned long long i = ULLONG_MAX - 100; i < ULLONG_MAX; i++) bump(&done);
  CHECK_EQUAL(done, 100);
#pragma omp parallel for schedule(guided)
  for (long long i = -5000000000LL; i < 5000000000LL; i += 100000000LL) bump(&done);
  CHECK_EQUAL(done, 200);
#pragma omp parallel for schedule(dynamic)
  for (unsigned i = UINT_MAX - 50; i < UINT_MAX; i++) bump(&done);
  CHECK_EQUAL(done, 250);
#pragma omp parallel for schedule(dynamic, 7)
  for (int i = INT_MAX - 50; i < INT_MAX; i++) bump(&done);
  CHECK_EQUAL(done, 300);
}

static void collapsed_loops(void) {
  static int grid[20][25];
  memset(grid, 0, sizeof grid);
#pragma omp parallel for collapse(2) schedule(dynamic, 6)
  for (int i = 0; i < 20; i++)
    for (int j = 0; j < 25; j++) grid[i][j]++;
#pragma omp parallel for collapse(2) schedule(guided)
  for (int i = 0; i < 20; i++)
    for (int j = 24; j >= 0; j--) grid[i][j]++;
  for (int i = 0; i < 500; i++) CHECK_EQUAL(grid[i / 25][i % 25], 2);
}

static void loop_reductions(void) {
  long sum = 0;
  int most = INT_MIN;
  double product = 1;
#pragma omp parallel for schedule(dynamic, 4) reduction(+ : sum) reduction(max : most)
  for (int i = 0; i < count; i++) {
    sum += i;
    if (i > most) most = i;
  }
#pragma omp parallel for schedule(guided) reduction(* : product)
  for (int i = 0; i < 20; i++) product *= 2;
  CHECK_EQUAL(sum, (long)count * (count - 1) / 2);
  CHECK_EQUAL(most, count - 1);
  CHECK(product == 1048576);
}

static void monotonic_chunks_rise_within_a_thread(void) {
#pragma omp parallel
  {
    int before = -1;
#pragma omp for schedule(monotonic : dynamic, 2)
    for (int i = 0; i < count; i++) {
      CHECK(i > before);
      before = i;
    }
  }
}

static void loops_in_a_row_with_nowait(void) {
  static int done[30];
  memset(done, 0, sizeof done);
#pragma omp parallel
  for (int round = 0; round < 30; round++) {
#pragma omp for schedule(dynamic, 3) nowait
    for (int i = 0; i < 50; i++) bump(&done[round]);
  }
  for (int round = 0; round < 30; round++) CHECK_EQUAL(done[round], 50);
}

static void inclusive_scans(void) {
  int running = 0;
  static int prefix[100];
#pragma omp parallel for reduction(inscan, + : running)
  for (int i = 0; i < 100; i++) {
    running += i;
#pragma omp scan inclusive(running)
    prefix[i] = running;
  }
  for (int i = 0; i < 100; i++) CHECK_EQUAL(prefix[i], i * (i + 1) / 2);
}

static void tasks_that_wait_in_dynamic_iterations(void) {
  int total = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : total)
  for (int i = 0; i < 60; i++) {
    int mine = 0;
    for (int j = 0; j < 3; j++) {
#pragma omp task shared(mine)
      bump(&mine);
    }
#pragma omp taskwait
    total += mine;
  }
  CHECK_EQUAL(total, 180);
}

CASES(CASE(dynamic_schedules), CASE(guided_schedules), CASE(the_schedule_of_the_environment),
      CASE(schedules_that_the_program_sets), CASE(an_auto_schedule), CASE(orphaned_loops),
      CASE(more_chunk_than_loop), CASE(empty_loops), CASE(steps_and_directions), CASE(wide_types),
      CASE(collapsed_loops), CASE(loop_reductions), CASE(monotonic_chunks_rise_within_a_thread),
      CASE(loops_in_a_row_with_nowait), CASE(inclusive_scans),
      CASE(tasks_that_wait_in_dynamic_iterations))
