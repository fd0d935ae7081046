// Threads wait for each other in a reduction while others still make tasks, or wait for some.
#include "check.h"

enum { items = 64 };
static char data[items][4096];

// Everybody writes some of the data, so that all of it has been somewhere.
static void write_data(void) {
#pragma omp for schedule(static, 1)
  for (int i = 0; i < items; i++) {
#pragma omp task depend(inout : data[i]) firstprivate(i)
    data[i][0]++;
  }
}

static void make_tasks(int* done) {
  linger(3000);  // the others have come to the reduction
  for (int i = 0; i < items; i++) {
#pragma omp task depend(inout : data[i]) firstprivate(i, done)
    {
      data[i][0]++;
      bump(done);
    }
  }
}

static void tasks_are_made_while_others_have_arrived(void) {
  for (int round = 0; round < 10; round++) {
    long sum = 0;
    int done = 0;
#pragma omp parallel
    {
      write_data();
#pragma omp for schedule(static, 1) reduction(+ : sum)
      for (int i = 0; i < 8; i++) {
        if (i == 0) make_tasks(&done);
        sum += i;
      }
      CHECK_EQUAL(value_of(&done), items);
      CHECK_EQUAL(sum, 28);
    }
  }
}

static void of_more_than_fits_into_an_atomic(void) {
  for (int round = 0; round < 10; round++) {
    long sums[20] = {0};
    int done = 0;
#pragma omp parallel
    {
      write_data();
#pragma omp for schedule(static, 1) reduction(+ : sums[ : 20])
      for (int i = 0; i < 8; i++) {
        if (i == 0) make_tasks(&done);
        for (int k = 0; k < 20; k++) sums[k] += i;
      }
      CHECK_EQUAL(value_of(&done), items);
      CHECK_EQUAL(sums[19], 28);
    }
  }
}

// A group's tasks make tasks wherever they run, also on threads that then go to the region's end.
static void a_group_is_waited_for_while_others_have_arrived(void) {
  for (int round = 0; round < 10; round++) {
    long sum = 0;
    int done = 0;
#pragma omp parallel reduction(+ : sum)
    {
#pragma omp masked
#pragma omp taskgroup
      for (int i = 0; i < items; i++) {
#pragma omp task shared(done)
        for (int k = 0; k < 4; k++) {
#pragma omp task shared(done)
          {
            linger(1);
            bump(&done);
          }
        }
      }
#pragma omp taskyield
      sum++;
    }
    CHECK_EQUAL(done, 4 * items);
    CHECK(sum >= 1);
  }
}

CASES(CASE(tasks_are_made_while_others_have_arrived), CASE(of_more_than_fits_into_an_atomic),
      CASE(a_group_is_waited_for_while_others_have_arrived))
