// omp_in_explicit_task: true in explicit tasks only.
// conformance: only clang: libgomp 12 has no omp_in_explicit_task
#include "check.h"

// Through a pointer: Clang may merge calls in one function, although tasks lie between them.
static int (*volatile in_explicit_task)(void) = omp_in_explicit_task;

static void is_true_in_explicit_tasks_only(void) {
  CHECK(!in_explicit_task());
#pragma omp parallel
  {
    CHECK(!in_explicit_task());
#pragma omp task
    CHECK(in_explicit_task());
#pragma omp task if (0)
    CHECK(in_explicit_task());
    CHECK(!in_explicit_task());
#pragma omp task final(1)
    {
#pragma omp task
      CHECK(in_explicit_task());
    }
#pragma omp taskwait
    CHECK(!in_explicit_task());
#pragma omp task
    {
#pragma omp parallel num_threads(2)
      CHECK(!in_explicit_task());
      CHECK(in_explicit_task());
    }
  }
}

CASES(CASE(is_true_in_explicit_tasks_only))
