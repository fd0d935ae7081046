// Without OMP_CANCELLATION, cancel does nothing.
// conformance: env OMP_CANCELLATION=false
#include "check.h"

static void a_group_runs_to_its_end(void) {
  int ran = 0;
  CHECK(!omp_get_cancellation());
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  for (int i = 0; i < 50; i++) {
#pragma omp task shared(ran)
    {
#pragma omp cancel taskgroup
      bump(&ran);
    }
  }
  CHECK_EQUAL(ran, 50);
}

static void a_region_runs_to_its_end(void) {
  int ran = 0;
  int threads = 0;
#pragma omp parallel
  {
#pragma omp single
    threads = omp_get_num_threads();
#pragma omp cancel parallel
#pragma omp barrier
    bump(&ran);
#pragma omp cancellation point parallel
    bump(&ran);
  }
  CHECK_EQUAL(ran, 2 * threads);
}

CASES(CASE(a_group_runs_to_its_end), CASE(a_region_runs_to_its_end))
