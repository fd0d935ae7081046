// A million tasks from one producer: memory must stay bounded, and each runs once.
#include <sys/resource.h>

#include "check.h"

static void a_million_tasks_from_one_producer(void) {
  struct rusage usage;
  long sum = 0;
#pragma omp parallel
  {
    long mine = 0;
#pragma omp single
    for (int i = 0; i < 1000000; i++) {
#pragma omp task shared(sum) firstprivate(i)
      if (i % 1000 == 0) {
#pragma omp atomic
        sum += i;
      }
    }
    (void)mine;
  }
  CHECK_EQUAL(sum, 499500000);
  getrusage(RUSAGE_SELF, &usage);
  CHECK(usage.ru_maxrss < 512 * 1024);
}

CASES(CASE(a_million_tasks_from_one_producer))
