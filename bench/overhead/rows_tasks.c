#include <omp.h>

#include "measure.h"
#include "rows.h"

enum { fib_argument = 20, fib_result = 6765, fib_calls = 21891 };
enum { spawned = 20, loop_iterations = 1024 };

long row_producer(long operations) {
#pragma omp parallel
#pragma omp single
  for (long k = 0; k < operations; ++k) {
#pragma omp task
    use(0);
  }
  return operations;
}

static long fib(int n) {
  if (n < 2) return n;
  long left, right;
#pragma omp task shared(left)
  left = fib(n - 1);
#pragma omp task shared(right)
  right = fib(n - 2);
#pragma omp taskwait
  return left + right;
}

long row_fib(long operations) {
  const long times = (operations + fib_calls - 1) / fib_calls;
  long wrong = 0;
#pragma omp parallel
#pragma omp single
  for (long k = 0; k < times; ++k) wrong += fib(fib_argument) != fib_result;
  return wrong ? -1 : times * fib_calls;
}

long row_spawn_wait(long operations) {
  const long times = (operations + spawned - 1) / spawned;
#pragma omp parallel
#pragma omp single
  for (long k = 0; k < times; ++k) {
    for (int j = 0; j < spawned; ++j) {
#pragma omp task
      use(0);
    }
#pragma omp taskwait
  }
  return times * spawned;
}

long row_taskgroup(long operations) {
#pragma omp parallel
#pragma omp single
  for (long k = 0; k < operations; ++k) {
#pragma omp taskgroup
    {
#pragma omp task
      use(0);
    }
  }
  return operations;
}

long row_taskloop(long operations) {
  const long times = (operations + loop_iterations - 1) / loop_iterations;
#pragma omp parallel
#pragma omp single
  for (long k = 0; k < times; ++k) {
#pragma omp taskloop
    for (int j = 0; j < loop_iterations; ++j) use(j);
  }
  return times * loop_iterations;
}

long row_taskloop_single(long operations) {
  const long times = (operations + loop_iterations - 1) / loop_iterations;
#pragma omp parallel
#pragma omp single
  for (long k = 0; k < times; ++k) {
#pragma omp taskloop grainsize(1)
    for (int j = 0; j < loop_iterations; ++j) use(j);
  }
  return times * loop_iterations;
}
