// taskloop: last values, reductions, and iterations in vectors.
// conformance: stock-fails clang firstprivate_and_lastprivate: Clang 19 loses the last value
#include "check.h"

enum { count = 1000 };

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

CASES(CASE(lastprivate_is_from_the_last_iteration), CASE(firstprivate_and_lastprivate),
      CASE(reduction_over_the_loop), CASE(reduction_of_an_array),
      CASE(in_reduction_of_a_group_around), CASE(simd_runs_every_iteration_once),
      CASE(simd_with_reduction_and_collapse))
