// A task starts a thread of the program's own, which has regions and tasks itself.
// conformance: env OMP_WAIT_POLICY=passive
#include <pthread.h>

#include "check.h"

static void* region_with_tasks(void* argument) {
  int* done = (int*)argument;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 20; i++) {
#pragma omp task firstprivate(done)
    bump(done);
  }
  return NULL;
}

static void a_task_waits_for_the_region_of_a_thread(void) {
  int done = 0;
  int tasks = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 20; i++) {
#pragma omp task shared(tasks)
      bump(&tasks);
    }
#pragma omp task shared(done)
    {
      pthread_t thread;
      CHECK_EQUAL(pthread_create(&thread, NULL, region_with_tasks, &done), 0);
      pthread_join(thread, NULL);
      CHECK_EQUAL(value_of(&done), 20);
    }
  }
  CHECK_EQUAL(done, 20);
  CHECK_EQUAL(tasks, 20);
}

CASES(CASE(a_task_waits_for_the_region_of_a_thread))
