// Loops of free order, wherever they stand: every iteration once, the last one known, nobody left
// waiting.
// conformance: stock-fails clang the_last_iteration_of_free_order_is_told: its thieves lose the value
// conformance: stock-fails clang a_thread_waits_for_loops_that_it_has_not_come_to: it leaves the late thread its part
// conformance: env OMP_SCHEDULE=nonmonotonic:dynamic,3
#include <limits.h>
#include <stdint.h>

#include "check.h"

enum { count = 500 };

static int seen[count];

static void expect_each(int times) {
  for (int i = 0; i < count; i++) CHECK_EQUAL(seen[i], times);
  memset(seen, 0, sizeof seen);
}

static void mark(long i) {
  CHECK(i >= 0 && i < count);
#pragma omp atomic
  seen[i]++;
}

// Threads may be any number of loops apart.
static void chains_without_barriers(void) {
#pragma omp parallel
  for (int k = 0; k < 40; k++) {
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < count; i++) mark(i);
#pragma omp for schedule(guided, 2) nowait
    for (unsigned long long i = 0; i < count; i++) mark((long)i);
  }
  expect_each(80);
}

static void sums(void) {
  long long sum = 0;
#pragma omp parallel for schedule(dynamic, 2) reduction(+ : sum)
  for (int i = 0; i < count; i++) sum += i;
  CHECK_EQUAL(sum, count * (count - 1) / 2);
}

static void two_loops_as_one(void) {
  for (int k = 0; k < 4; k++) {
#pragma omp parallel for collapse(2) schedule(nonmonotonic : dynamic, 3)
    for (int i = 0; i < count / 20; i++)
      for (unsigned j = 0; j < 20; j++) mark(i * 20 + (int)j);
    expect_each(1);
#pragma omp parallel for collapse(2) schedule(guided)
    for (long i = 0; i < count / 20; i++)
      for (long j = 19; j >= 0; j--) mark(i * 20 + j);
    expect_each(1);
  }
}

static void downwards_and_by_steps(void) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 4)
    for (int i = count - 1; i >= 0; i--) mark(i);
#pragma omp for schedule(guided, 3)
    for (long i = (count - 1) * 7L; i > -7; i -= 7) mark(i / 7);
#pragma omp for schedule(dynamic)
    for (unsigned long long i = count; i > 0; i--) mark((long)i - 1);
#pragma omp for schedule(runtime)
    for (short i = 0; i < count; i += 1) mark(i);
  }
  expect_each(4);
}

static void bounds_of_the_types(void) {
  int times = 0;
#pragma omp parallel
  {
#pragma omp for schedule(dynamic)
    for (unsigned long long i = ULLONG_MAX - 5; i < ULLONG_MAX; i++) bump(&times);
#pragma omp for schedule(dynamic, 1000)
    for (unsigned long long i = 0; i < ULLONG_MAX - (ULLONG_MAX >> 2U); i += ULLONG_MAX >> 2U)
      bump(&times);
#pragma omp for schedule(guided)
    for (long i = LONG_MAX - 4; i < LONG_MAX; i++) bump(&times);
#pragma omp for schedule(dynamic, 2)
    for (long i = LONG_MIN + 4; i > LONG_MIN; i--) bump(&times);
#pragma omp for schedule(dynamic)
    for (long i = 0; i > LONG_MIN; i += LONG_MIN / 2) bump(&times);
#pragma omp for schedule(dynamic)
    for (int i = INT_MAX - 3; i < INT_MAX; i++) bump(&times);
#pragma omp for schedule(guided, 7)
    for (unsigned i = UINT_MAX - 3; i < UINT_MAX; i++) bump(&times);
  }
  CHECK_EQUAL(times, 5 + 4 + 4 + 4 + 2 + 3 + 3);
}

static void few_or_none(void) {
  for (int n = 0; n < 5; n++) {
    int times = 0;
#pragma omp parallel
    {
#pragma omp for schedule(dynamic)
      for (int i = 0; i < n; i++) bump(&times);
#pragma omp for schedule(guided)
      for (int i = 3; i < 3 + n; i++) bump(&times);
#pragma omp for schedule(dynamic, 1000000)
      for (long i = n; i > 0; i--) bump(&times);
    }
    CHECK_EQUAL(times, 3 * n);
  }
}

static void the_last_iteration_is_told(void) {
  for (int n = 1; n < 80; n++) {
    int last = -1;
    long behind = -1;
#pragma omp parallel for schedule(monotonic : dynamic, 1 + n % 3) lastprivate(last)
    for (int i = 0; i < n; i++) last = i;
    CHECK_EQUAL(last, n - 1);
#pragma omp parallel for schedule(guided) lastprivate(behind)
    for (long i = 0; i < n; i++) behind = i;
    CHECK_EQUAL(behind, n - 1);
  }
}

// Stock libomp loses the value now and then: a thread that ran the last iteration steals another.
static void the_last_iteration_of_free_order_is_told(void) {
  for (int n = 1; n < 200; n++) {
    int last = -1;
#pragma omp parallel for schedule(dynamic, 1 + n % 3) lastprivate(last)
    for (int i = 0; i < n; i++) last = i;
    CHECK_EQUAL(last, n - 1);
  }
}

static void schedules_of_the_program(void) {
  const omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided,
                               omp_sched_auto};
  omp_sched_t before;
  int chunk;
  omp_get_schedule(&before, &chunk);
  for (int k = 0; k < 16; k++) {
    omp_set_schedule(kinds[k % 4], 1 + k / 4 * 3);
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < count; i++) mark(i);
    expect_each(1);
#pragma omp parallel
    {
#pragma omp for schedule(runtime) nowait
      for (unsigned long long i = 0; i < count; i++) mark((long)i);
#pragma omp for schedule(nonmonotonic : runtime)
      for (int i = 0; i < count; i++) mark(i);
#pragma omp for schedule(monotonic : runtime)
      for (int i = 0; i < count; i++) mark(i);
    }
    expect_each(3);
  }
  omp_set_schedule(before, chunk);
}

static void orphan(void) {
#pragma omp for schedule(dynamic, 3)
  for (int i = 0; i < count; i++) mark(i);
}

static void orphans(void) {
  orphan();
  expect_each(1);
#pragma omp parallel
  orphan();
  expect_each(1);
#pragma omp parallel num_threads(1)
  orphan();
  expect_each(1);
#pragma omp parallel if (0)
  orphan();
  expect_each(1);
}

static void regions_inside(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel for schedule(dynamic, 2)
  for (int k = 0; k < 10; k++) {
#pragma omp parallel for schedule(dynamic) num_threads(2)
    for (int i = k * (count / 10); i < (k + 1) * (count / 10); i++) mark(i);
#pragma omp parallel num_threads(1)
#pragma omp for schedule(guided) nowait
    for (int i = k * (count / 10); i < (k + 1) * (count / 10); i++) mark(i);
  }
  omp_set_max_active_levels(1);
  expect_each(2);
}

static void among_other_constructs(void) {
  int singles = 0;
  int sections = 0;
#pragma omp parallel
  for (int k = 0; k < 10; k++) {
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < count; i++) mark(i);
#pragma omp single
    bump(&singles);
#pragma omp for schedule(monotonic : dynamic, 5) nowait
    for (int i = 0; i < count; i++) mark(i);
#pragma omp sections nowait
    {
#pragma omp section
      bump(&sections);
#pragma omp section
      bump(&sections);
    }
#pragma omp for ordered schedule(dynamic)
    for (int i = 0; i < count; i++) {
#pragma omp ordered
      mark(i);
    }
#pragma omp for schedule(static, 3)
    for (int i = 0; i < count; i++) mark(i);
#pragma omp for schedule(guided)
    for (int i = 0; i < count; i++) mark(i);
  }
  CHECK_EQUAL(singles, 10);
  CHECK_EQUAL(sections, 20);
  expect_each(50);
}

static void tasks_of_bodies(void) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 2)
    for (int i = 0; i < count; i++) {
#pragma omp task firstprivate(i)
      mark(i);
    }
    // The barrier has completed them.
    CHECK_EQUAL(value_of(&seen[0]), 1);
#pragma omp barrier
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < count; i++) {
#pragma omp task firstprivate(i)
      mark(i);
#pragma omp taskwait
    }
  }
  expect_each(2);
}

// What one thread does beforehand may need the iterations of the loops behind. OpenMP does not say
// that the others run them, but libgomp's do, so Lares' must.
static void a_thread_waits_for_loops_that_it_has_not_come_to(void) {
  int done = 0;
#pragma omp parallel
  {
    if (omp_get_num_threads() > 1 && omp_get_thread_num() == 0) await_value(&done, 5 * 8);
    for (int k = 0; k < 5; k++) {
#pragma omp for schedule(dynamic) nowait
      for (int i = 0; i < 8; i++) bump(&done);
    }
  }
  CHECK_EQUAL(done, 5 * 8);
}

// The order that a thread sees grows where the program asks for it.
static void monotonic_stays_so(void) {
#pragma omp parallel
  {
    long last = -1;
#pragma omp for schedule(monotonic : dynamic, 2)
    for (int i = 0; i < count; i++) {
      CHECK(i > last);
      last = i;
    }
  }
}

CASES(CASE(chains_without_barriers), CASE(sums), CASE(two_loops_as_one),
      CASE(downwards_and_by_steps), CASE(bounds_of_the_types), CASE(few_or_none),
      CASE(the_last_iteration_is_told), CASE(the_last_iteration_of_free_order_is_told),
      CASE(schedules_of_the_program), CASE(orphans), CASE(regions_inside),
      CASE(among_other_constructs), CASE(tasks_of_bodies),
      CASE(a_thread_waits_for_loops_that_it_has_not_come_to), CASE(monotonic_stays_so))
