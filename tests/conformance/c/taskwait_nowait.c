// taskwait nowait with dependences: an empty task that only joins dependences.
// conformance: stock-fails clang does_not_wait_itself: libomp 19 waits although nowait is given
// conformance: only clang: GCC 12 does not take nowait on taskwait
#include "check.h"

static void joins_without_waiting(void) {
  int a = 0;
  int b = 0;
  int joined = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
#pragma omp task depend(inout : a) shared(a)
    {
      linger(2);
      a++;
    }
#pragma omp task depend(inout : b) shared(b)
    b++;
#pragma omp taskwait depend(in : a, b) depend(out : joined) nowait
#pragma omp task depend(in : joined) shared(a, b) firstprivate(i)
    CHECK(a >= i + 1 && b >= i + 1);
  }
  CHECK_EQUAL(a, 20);
  CHECK_EQUAL(b, 20);
}

static void a_later_taskwait_waits_for_it(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
#pragma omp task depend(out : value) shared(value) firstprivate(i)
    {
      linger(2);
      value = i + 1;
    }
#pragma omp taskwait depend(inout : value) nowait
#pragma omp taskwait
    CHECK_EQUAL(value, i + 1);
  }
}

static void does_not_wait_itself(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; i++) {
    int value = 0;
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : value) shared(value)
    value = 1;
    // The task before completes only after the next line: waiting there would never end.
#pragma omp taskwait depend(in : value) nowait
    omp_fulfill_event(event);
#pragma omp taskwait
    CHECK_EQUAL(value, 1);
  }
}

CASES(CASE(joins_without_waiting), CASE(a_later_taskwait_waits_for_it), CASE(does_not_wait_itself))
