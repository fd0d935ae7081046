// Threads of the program's own may use all processors that the program may, wherever OpenMP's are.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "check.h"

static void* count_processors(void* argument) {
  cpu_set_t mine;
  if (sched_getaffinity(0, sizeof mine, &mine) == 0) *(int*)argument = CPU_COUNT(&mine);
  return NULL;
}

static int processors_of_the_parent(void) {
  cpu_set_t all;
  CHECK_EQUAL(sched_getaffinity(getppid(), sizeof all, &all), 0);
  return CPU_COUNT(&all);
}

static void a_thread_made_after_a_region(void) {
  int tasks = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; i++) {
#pragma omp task shared(tasks)
    bump(&tasks);
  }
  CHECK_EQUAL(tasks, 10);
  int processors = 0;
  pthread_t handle;
  CHECK_EQUAL(pthread_create(&handle, NULL, count_processors, &processors), 0);
  pthread_join(handle, NULL);
  CHECK_EQUAL(processors, processors_of_the_parent());
}

static void a_thread_that_asks_for_one_processor(void) {
  cpu_set_t all;
  CHECK_EQUAL(sched_getaffinity(getppid(), sizeof all, &all), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
    if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setaffinity_np(&attributes, sizeof one, &one);
  int processors = 0;
  pthread_t handle;
  CHECK_EQUAL(pthread_create(&handle, &attributes, count_processors, &processors), 0);
  pthread_join(handle, NULL);
  pthread_attr_destroy(&attributes);
  CHECK_EQUAL(processors, 1);
}

CASES(CASE(a_thread_made_after_a_region), CASE(a_thread_that_asks_for_one_processor))
