// taskloop: every iteration once, how many tasks, when they are waited for.
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

CASES(CASE(every_iteration_runs_once), CASE(every_thread_may_have_its_own),
      CASE(grainsize_bounds_the_tasks), CASE(a_grainsize_larger_than_the_loop_makes_one_task),
      CASE(num_tasks_is_kept), CASE(no_more_tasks_than_iterations), CASE(the_end_waits_for_all),
      CASE(the_end_waits_for_tasks_made_inside), CASE(nogroup_is_waited_for_elsewhere),
      CASE(nogroup_belongs_to_the_group_around), CASE(collapse_runs_every_pair),
      CASE(collapse_of_three_with_steps), CASE(if_zero_runs_at_once_on_this_thread),
      CASE(final_makes_final_tasks), CASE(hints_change_nothing), CASE(loops_nest),
      CASE(outside_a_parallel_region))
