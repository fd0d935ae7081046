// taskloop: every iteration once, how many tasks, what the clauses promise.
// conformance: stock-fails clang firstprivate_and_lastprivate: Clang 19 loses the last value
#include "check.h"

enum { count = 1000 };

static int seen[count];

static void forget(void) { memset(seen, 0, sizeof seen); }

static void expect_each_once(int from, int to) {
  for (int i = 0; i < count; i++) CHECK_EQUAL(seen[i], i >= from && i < to);
}

static void every_iteration_runs_once(void) {
  forget();
#pragma omp parallel
#pragma omp single
#pragma omp taskloop
  for (int i = 0; i < count; i++) bump(&seen[i]);
  expect_each_once(0, count);
}

static void every_thread_may_have_its_own(void) {
  forget();
  int threads = 0;
#pragma omp parallel
  {
#pragma omp single
    threads = omp_get_num_threads();
#pragma omp taskloop grainsize(100)
    for (int i = 0; i < count; i++) bump(&seen[i]);
  }
  for (int i = 0; i < count; i++) CHECK_EQUAL(seen[i], threads);
}

/// Counts, for each task, the iterations it ran: consecutive iterations of one task share a copy.
static void expect_grains(const int* grains, int tasks, int least, int most_exclusive) {
  int total = 0;
  for (int t = 0; t < tasks; t++) {
    CHECK(grains[t] >= least && grains[t] < most_exclusive);
    total += grains[t];
  }
  CHECK_EQUAL(total, count);
}

static void grainsize_bounds_the_tasks(void) {
  static const int sizes[] = {1, 3, 7, 64, 333, 999, 1000};
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
    int grains[count] = {0};
    int tasks = 0;
    int mine = -1;
    int size = sizes[s];
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(size) firstprivate(mine) shared(grains, tasks)
    for (int i = 0; i < count; i++) {
      if (mine < 0) mine = bump(&tasks) - 1;
      grains[mine]++;
    }
    expect_grains(grains, tasks, size, 2 * size);
  }
}

static void a_grainsize_larger_than_the_loop_makes_one_task(void) {
  int tasks = 0;
  int fresh = 1;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(5000) firstprivate(fresh) shared(tasks)
  for (int i = 0; i < count; i++) {
    if (fresh) bump(&tasks);
    fresh = 0;
  }
  CHECK_EQUAL(tasks, 1);
}

static void num_tasks_is_kept(void) {
  static const int numbers[] = {1, 2, 3, 7, 100, 1000};
  for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++) {
    int grains[count] = {0};
    int tasks = 0;
    int mine = -1;
    int number = numbers[n];
#pragma omp parallel
#pragma omp single
#pragma omp taskloop num_tasks(number) firstprivate(mine) shared(grains, tasks)
    for (int i = 0; i < count; i++) {
      if (mine < 0) mine = bump(&tasks) - 1;
      grains[mine]++;
    }
    CHECK_EQUAL(tasks, number);
    expect_grains(grains, tasks, 1, count + 1);
  }
}

static void no_more_tasks_than_iterations(void) {
  int tasks = 0;
  int fresh = 1;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop num_tasks(500) firstprivate(fresh) shared(tasks)
  for (int i = 0; i < 10; i++) {
    if (fresh) bump(&tasks);
    fresh = 0;
  }
  CHECK_EQUAL(tasks, 10);
}

static void the_end_waits_for_all(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 1; round <= 10; round++) {
#pragma omp taskloop grainsize(10) shared(done)
    for (int i = 0; i < 100; i++) bump(&done);
    CHECK_EQUAL(value_of(&done), 100 * round);
  }
}

static void the_end_waits_for_tasks_made_inside(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 1; round <= 5; round++) {
#pragma omp taskloop grainsize(10) shared(done)
    for (int i = 0; i < 50; i++) {
#pragma omp task shared(done)
      bump(&done);
    }
    CHECK_EQUAL(value_of(&done), 50 * round);
  }
}

static void nogroup_is_waited_for_elsewhere(void) {
  int done = 0;
#pragma omp parallel
  {
#pragma omp single
    {
#pragma omp taskloop nogroup grainsize(10) shared(done)
      for (int i = 0; i < 100; i++) bump(&done);
#pragma omp taskloop nogroup num_tasks(5) shared(done)
      for (int i = 0; i < 100; i++) bump(&done);
#pragma omp taskwait
      CHECK_EQUAL(value_of(&done), 200);
#pragma omp taskloop nogroup shared(done)
      for (int i = 0; i < 100; i++) bump(&done);
    }
    CHECK_EQUAL(value_of(&done), 300);
  }
}

static void nogroup_belongs_to_the_group_around(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    {
#pragma omp taskloop nogroup grainsize(3) shared(done)
      for (int i = 0; i < 100; i++) bump(&done);
    }
    CHECK_EQUAL(value_of(&done), 100);
  }
}

static void collapse_runs_every_pair(void) {
  static int grid[20][30];
  memset(grid, 0, sizeof grid);
#pragma omp parallel
#pragma omp single
#pragma omp taskloop collapse(2) grainsize(7)
  for (int i = 0; i < 20; i++)
    for (int j = 0; j < 30; j++) bump(&grid[i][j]);
  for (int i = 0; i < 600; i++) CHECK_EQUAL(grid[i / 30][i % 30], 1);
}

static void collapse_of_three_with_steps(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop collapse(3) num_tasks(11) shared(sum)
  for (int i = 0; i < 10; i += 3)
    for (int j = 10; j > 0; j -= 4)
      for (int k = -2; k <= 2; k++) {
#pragma omp atomic
        sum += i * 100 + j * 10 + k;
      }
  int expected = 0;
  for (int i = 0; i < 10; i += 3)
    for (int j = 10; j > 0; j -= 4)
      for (int k = -2; k <= 2; k++) expected += i * 100 + j * 10 + k;
  CHECK_EQUAL(sum, expected);
}

static void lastprivate_is_from_the_last_iteration(void) {
  int last = -1;
  int index = -1;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop lastprivate(last, index) grainsize(13)
  for (index = 0; index < count; index++) last = index * 2;
  CHECK_EQUAL(last, 2 * (count - 1));
  CHECK_EQUAL(index, count);
}

static void firstprivate_and_lastprivate(void) {
  int value = 7;
  int bad = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop firstprivate(value) lastprivate(value) num_tasks(10) shared(bad)
  for (int i = 0; i < 10; i++) {
    if (value != 7) bump(&bad);
    value = i;
  }
  CHECK_EQUAL(bad, 0);
  CHECK_EQUAL(value, 9);
}

static void reduction_over_the_loop(void) {
  int sum = 3;
  int most = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop reduction(+ : sum) reduction(max : most) grainsize(17)
  for (int i = 0; i < count; i++) {
    sum += i;
    if (i > most) most = i;
  }
  CHECK_EQUAL(sum, 3 + count * (count - 1) / 2);
  CHECK_EQUAL(most, count - 1);
}

static void reduction_of_an_array(void) {
  int cells[7] = {0};
#pragma omp parallel
#pragma omp single
#pragma omp taskloop reduction(+ : cells) num_tasks(9)
  for (int i = 0; i < 700; i++) cells[i % 7]++;
  for (int i = 0; i < 7; i++) CHECK_EQUAL(cells[i], 100);
}

static void in_reduction_of_a_group_around(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
  {
#pragma omp taskloop in_reduction(+ : sum) grainsize(10)
    for (int i = 0; i < 100; i++) sum += 1;
#pragma omp task in_reduction(+ : sum)
    sum += 1000;
#pragma omp taskloop in_reduction(+ : sum) num_tasks(4) nogroup
    for (int i = 0; i < 100; i++) sum += 10;
  }
  CHECK_EQUAL(sum, 2100);
}

static void if_zero_runs_at_once_on_this_thread(void) {
#pragma omp parallel
#pragma omp single
  {
    int me = omp_get_thread_num();
    int bad = 0;
    int done = 0;
#pragma omp taskloop if (0) nogroup shared(done, bad) firstprivate(me) grainsize(10)
    for (int i = 0; i < 100; i++) {
      if (omp_get_thread_num() != me) bad++;
      done++;
    }
    CHECK_EQUAL(done, 100);
    CHECK_EQUAL(bad, 0);
  }
}

static void final_makes_final_tasks(void) {
  int finals = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop final(1) num_tasks(10) shared(finals)
  for (int i = 0; i < 100; i++) {
    if (omp_in_final()) bump(&finals);
  }
  CHECK_EQUAL(finals, 100);
}

static void hints_change_nothing(void) {
  forget();
#pragma omp parallel
#pragma omp single
#pragma omp taskloop untied mergeable priority(4) grainsize(50)
  for (int i = 100; i < 900; i++) bump(&seen[i]);
  expect_each_once(100, 900);
}

static void loops_nest(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(2) shared(done)
  for (int i = 0; i < 20; i++) {
#pragma omp taskloop grainsize(3) shared(done)
    for (int j = 0; j < 20; j++) bump(&done);
  }
  CHECK_EQUAL(done, 400);
}

static void outside_a_parallel_region(void) {
  int sum = 0;
  int last = 0;
#pragma omp taskloop reduction(+ : sum) lastprivate(last) num_tasks(3)
  for (int i = 0; i < 50; i++) {
    sum += i;
    last = i;
  }
  CHECK_EQUAL(sum, 1225);
  CHECK_EQUAL(last, 49);
}

static void simd_runs_every_iteration_once(void) {
  static float a[count];
  static float b[count];
  for (int i = 0; i < count; i++) b[i] = (float)i;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop simd grainsize(37)
  for (int i = 0; i < count; i++) a[i] = 2 * b[i] + 1;
  for (int i = 0; i < count; i++) CHECK(a[i] == 2 * (float)i + 1);
}

static void simd_with_reduction_and_collapse(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop simd collapse(2) reduction(+ : sum) num_tasks(6)
  for (int i = 0; i < 32; i++)
    for (int j = 0; j < 32; j++) sum += i ^ j;
  int expected = 0;
  for (int i = 0; i < 1024; i++) expected += (i / 32) ^ (i % 32);
  CHECK_EQUAL(sum, expected);
}

CASES(CASE(every_iteration_runs_once), CASE(every_thread_may_have_its_own),
      CASE(grainsize_bounds_the_tasks), CASE(a_grainsize_larger_than_the_loop_makes_one_task),
      CASE(num_tasks_is_kept), CASE(no_more_tasks_than_iterations), CASE(the_end_waits_for_all),
      CASE(the_end_waits_for_tasks_made_inside), CASE(nogroup_is_waited_for_elsewhere),
      CASE(nogroup_belongs_to_the_group_around), CASE(collapse_runs_every_pair),
      CASE(collapse_of_three_with_steps), CASE(lastprivate_is_from_the_last_iteration),
      CASE(firstprivate_and_lastprivate), CASE(reduction_over_the_loop),
      CASE(reduction_of_an_array), CASE(in_reduction_of_a_group_around),
      CASE(if_zero_runs_at_once_on_this_thread), CASE(final_makes_final_tasks),
      CASE(hints_change_nothing), CASE(loops_nest), CASE(outside_a_parallel_region),
      CASE(simd_runs_every_iteration_once), CASE(simd_with_reduction_and_collapse))
