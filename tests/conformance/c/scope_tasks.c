// scope: a region of all threads with a reduction; its end is a barrier.
// conformance: only gcc: Clang 19 cannot generate code for scope
#include "check.h"

static void a_scope_with_a_task_reduction(void) {
  int sum = 0;
  int threads = 0;
#pragma omp parallel
  {
#pragma omp scope reduction(task, + : sum)
    {
      for (int i = 0; i < 10; i++) {
#pragma omp task in_reduction(+ : sum)
        sum += 1;
      }
    }
#pragma omp single
    threads = omp_get_num_threads();
  }
  CHECK_EQUAL(sum, 10 * threads);
}

static void the_end_of_a_scope_completes_tasks(void) {
  int done = 0;
#pragma omp parallel
  {
    for (int round = 1; round <= 5; round++) {
#pragma omp scope
      for (int i = 0; i < 10; i++) {
#pragma omp task shared(done)
        bump(&done);
      }
      CHECK_EQUAL(value_of(&done), 10 * round * omp_get_num_threads());
#pragma omp barrier
    }
  }
}

static void a_plain_reduction_on_scope(void) {
  int sum = 0;
  int threads = 0;
#pragma omp parallel
  {
#pragma omp scope reduction(+ : sum) nowait
    sum += omp_get_thread_num() + 1;
#pragma omp barrier
#pragma omp single
    threads = omp_get_num_threads();
  }
  CHECK_EQUAL(sum, threads * (threads + 1) / 2);
}

CASES(CASE(a_scope_with_a_task_reduction), CASE(the_end_of_a_scope_completes_tasks),
      CASE(a_plain_reduction_on_scope))
