// Threads of the program's own that use OpenMP, end, and make room for others.
// conformance: env OMP_WAIT_POLICY=passive
// conformance: only gcc: libomp 19 asserts in its allocator after threads that used tasks have ended
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

static void* regions(void* argument) {
  int* bad = (int*)argument;
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
  return NULL;
}

static void* serial_tasks(void* argument) {
  int* bad = (int*)argument;
  for (int round = 0; round < 20; round++)
    if (fib(9) != 34) bump(bad);
  return NULL;
}

static void start_and_join(void* (*body)(void*), int number, int* bad) {
  pthread_t handles[threads];
  for (int i = 0; i < number; i++) CHECK_EQUAL(pthread_create(&handles[i], NULL, body, bad), 0);
  for (int i = 0; i < number; i++) pthread_join(handles[i], NULL);
}

static void regions_at_the_same_time(void) {
  int bad = 0;
  start_and_join(regions, threads, &bad);
  CHECK_EQUAL(bad, 0);
}

static void tasks_outside_of_regions_at_the_same_time(void) {
  int bad = 0;
  start_and_join(serial_tasks, threads, &bad);
  CHECK_EQUAL(bad, 0);
}

static void* regions_of_plain_tasks(void* argument) {
  int* bad = (int*)argument;
  for (int round = 0; round < 5; round++) {
    int done = 0;
#pragma omp parallel num_threads(2) shared(done)
#pragma omp single
    for (int i = 0; i < 20; i++) {
#pragma omp task shared(done)
      bump(&done);
    }
    if (done != 20) bump(bad);
  }
  return NULL;
}

static void threads_that_come_and_go(void) {
  int bad = 0;
  for (int round = 0; round < 15; round++) start_and_join(regions_of_plain_tasks, 1, &bad);
  CHECK_EQUAL(bad, 0);
}

static void threads_with_dependences_that_come_and_go(void) {
  int bad = 0;
  for (int round = 0; round < 15; round++) start_and_join(regions, 1, &bad);
  CHECK_EQUAL(bad, 0);
}

static void beside_the_main_threads_region(void) {
  int bad = 0;
  pthread_t other;
  CHECK_EQUAL(pthread_create(&other, NULL, regions, &bad), 0);
  for (int round = 0; round < 10; round++) {
    int done = 0;
#pragma omp parallel shared(done)
#pragma omp single
    for (int i = 0; i < 20; i++) {
#pragma omp task shared(done)
      bump(&done);
    }
    CHECK_EQUAL(done, 20);
  }
  pthread_join(other, NULL);
  CHECK_EQUAL(bad, 0);
}

static void a_thread_made_inside_a_task(void) {
  int bad = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 3; i++) {
#pragma omp task shared(bad)
    start_and_join(regions, 1, &bad);
  }
  CHECK_EQUAL(bad, 0);
}

CASES(CASE(regions_at_the_same_time), CASE(tasks_outside_of_regions_at_the_same_time),
      CASE(threads_that_come_and_go), CASE(threads_with_dependences_that_come_and_go),
      CASE(beside_the_main_threads_region), CASE(a_thread_made_inside_a_task))
