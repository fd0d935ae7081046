// reduction(task, ...) on parallel and worksharing constructs: tasks join the reduction.
#include "check.h"

static void on_parallel(void) {
  int sum = 0;
  int threads = 0;
#pragma omp parallel reduction(task, + : sum) shared(threads)
  {
#pragma omp single
    threads = omp_get_num_threads();
    for (int i = 0; i < 20; i++) {
#pragma omp task in_reduction(+ : sum)
      sum += 1;
    }
    sum += 1000;
  }
  CHECK_EQUAL(sum, threads * 1020);
}

static void on_a_loop(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp for reduction(task, + : sum)
  for (int i = 0; i < 100; i++) {
    sum += 1;
#pragma omp task in_reduction(+ : sum) firstprivate(i)
    sum += i;
  }
  CHECK_EQUAL(sum, 100 + 4950);
}

static void on_a_dynamic_loop(void) {
  int sum = 0;
  int most = 0;
#pragma omp parallel
#pragma omp for schedule(dynamic, 3) reduction(task, + : sum) reduction(max : most)
  for (int i = 0; i < 100; i++) {
    if (i > most) most = i;
#pragma omp task in_reduction(+ : sum) firstprivate(i)
    sum += i;
  }
  CHECK_EQUAL(sum, 4950);
  CHECK_EQUAL(most, 99);
}

static void on_sections(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp sections reduction(task, + : sum)
  {
#pragma omp section
    {
#pragma omp task in_reduction(+ : sum)
      sum += 1;
      sum += 10;
    }
#pragma omp section
    {
      for (int i = 0; i < 10; i++) {
#pragma omp task in_reduction(+ : sum)
        sum += 100;
      }
    }
#pragma omp section
    sum += 10000;
  }
  CHECK_EQUAL(sum, 11011);
}

static void on_a_combined_loop(void) {
  long sum = 0;
#pragma omp parallel for reduction(task, + : sum)
  for (int i = 0; i < 64; i++) {
#pragma omp task in_reduction(+ : sum)
    {
      sum += 1;
#pragma omp task in_reduction(+ : sum)
      sum += 2;
    }
  }
  CHECK_EQUAL(sum, 192);
}

static void several_constructs_in_a_row(void) {
  int first = 0;
  int second = 0;
#pragma omp parallel
  {
    for (int round = 0; round < 5; round++) {
#pragma omp for reduction(task, + : first)
      for (int i = 0; i < 20; i++) {
#pragma omp task in_reduction(+ : first)
        first += 1;
      }
#pragma omp for reduction(task, + : second) schedule(guided)
      for (int i = 0; i < 20; i++) {
#pragma omp task in_reduction(+ : second)
        second += 2;
      }
    }
  }
  CHECK_EQUAL(first, 100);
  CHECK_EQUAL(second, 200);
}

static void an_array(void) {
  int cells[10] = {0};
#pragma omp parallel reduction(task, + : cells)
#pragma omp for
  for (int i = 0; i < 100; i++) {
#pragma omp task in_reduction(+ : cells) firstprivate(i)
    cells[i % 10] += 1;
  }
  for (int i = 0; i < 10; i++) CHECK_EQUAL(cells[i], 10);
}

static void a_taskloop_inside(void) {
  int sum = 0;
#pragma omp parallel reduction(task, + : sum)
#pragma omp single
#pragma omp taskloop in_reduction(+ : sum) grainsize(5)
  for (int i = 0; i < 100; i++) sum += i;
  CHECK_EQUAL(sum, 4950);
}

CASES(CASE(on_parallel), CASE(on_a_loop), CASE(on_a_dynamic_loop), CASE(on_sections),
      CASE(on_a_combined_loop), CASE(several_constructs_in_a_row), CASE(an_array),
      CASE(a_taskloop_inside))
