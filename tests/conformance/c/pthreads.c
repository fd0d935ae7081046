// Threads of the program's own, each with its own regions and tasks, at the same time.
// conformance: env OMP_WAIT_POLICY=passive
#include <pthread.h>

#include "check.h"

enum { threads = 4 };

static int fib(int n) {
  int a;
  int b;
  if (n < 2) return n;
#pragma omp task shared(a) firstprivate(n)
  a = fib(n - 1);
#pragma omp task shared(b) firstprivate(n)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

static void regions_with_tasks(int* bad) {
  for (int round = 0; round < 5; round++) {
    int value = 0;
    int result = 0;
#pragma omp parallel num_threads(2) shared(value, result)
#pragma omp single
    {
      for (int i = 0; i < 20; i++) {
#pragma omp task depend(inout : value) shared(value)
        value++;
      }
#pragma omp task shared(result)
      result = fib(8);
    }
    if (value != 20 || result != 21) bump(bad);
  }
}

static void tasks_outside_of_regions(int* bad) {
  for (int round = 0; round < 10; round++)
    if (fib(9) != 34) bump(bad);
}

static void* regions_and_tasks(void* argument) {
  regions_with_tasks((int*)argument);
  tasks_outside_of_regions((int*)argument);
  regions_with_tasks((int*)argument);
  return NULL;
}

static void all_at_the_same_time_as_main(void) {
  int bad = 0;
  pthread_t handles[threads];
  for (int i = 0; i < threads; i++)
    CHECK_EQUAL(pthread_create(&handles[i], NULL, regions_and_tasks, &bad), 0);
  regions_and_tasks(&bad);
  for (int i = 0; i < threads; i++) pthread_join(handles[i], NULL);
  CHECK_EQUAL(bad, 0);
}

CASES(CASE(all_at_the_same_time_as_main))
