// More threads than any machine for tests has cores.
#include "check.h"

static void two_hundred_threads_share_tasks(void) {
  int done = 0;
  int threads = 0;
#pragma omp parallel num_threads(200)
  {
#pragma omp single
    {
      threads = omp_get_num_threads();
      for (int i = 0; i < 500; i++) {
#pragma omp task shared(done)
        bump(&done);
      }
    }
    CHECK(value_of(&done) >= 500);
#pragma omp task shared(done)
    bump(&done);
  }
  CHECK_EQUAL(done, 500 + threads);
}

CASES(CASE(two_hundred_threads_share_tasks))
