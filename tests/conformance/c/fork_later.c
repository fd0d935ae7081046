// fork without exec after regions ran: the child runs on alone; the parent goes on as before.
#include <sys/wait.h>

#include "check.h"

static int run_tasks(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; i++) {
#pragma omp task shared(done)
    bump(&done);
  }
  return done;
}

static void expect_success(pid_t child) {
  int status = -1;
  CHECK(child > 0);
  CHECK_EQUAL(waitpid(child, &status, 0), child);
  CHECK_EQUAL(status, 0);
}

static void a_child_without_openmp(void) {
  CHECK_EQUAL(run_tasks(), 50);
  for (int i = 0; i < 5; i++) {
    pid_t child = fork();
    if (child == 0) {
      volatile int sum = 0;
      for (int j = 0; j < 1000; j++) sum += j;
      _exit(sum == 499500 ? 0 : 1);
    }
    expect_success(child);
    CHECK_EQUAL(run_tasks(), 50);
  }
}

static void a_child_with_tasks_outside_of_regions(void) {
  CHECK_EQUAL(run_tasks(), 50);
  pid_t child = fork();
  if (child == 0) {
    int done = 0;
    for (int i = 0; i < 10; i++) {
#pragma omp task shared(done)
      bump(&done);
    }
#pragma omp taskwait
    _exit(done == 10 ? 0 : 1);
  }
  expect_success(child);
  CHECK_EQUAL(run_tasks(), 50);
}

static void forked_inside_a_region(void) {
  int done = 0;
#pragma omp parallel
  {
#pragma omp task shared(done)
    bump(&done);
#pragma omp single
    {
      pid_t child = fork();
      if (child == 0) _exit(0);
      expect_success(child);
    }
#pragma omp task shared(done)
    bump(&done);
  }
  CHECK_EQUAL(done % 2, 0);
}

static void forked_inside_a_task(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 4; i++) {
#pragma omp task shared(done)
    {
      pid_t child = fork();
      if (child == 0) _exit(0);
      expect_success(child);
      bump(&done);
    }
  }
  CHECK_EQUAL(done, 4);
}

static void another_program_started_from_a_task(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 2; i++) {
#pragma omp task shared(done)
    {
      CHECK_EQUAL(system("exit 0"), 0);
      bump(&done);
    }
  }
  CHECK_EQUAL(done, 2);
}

CASES(CASE(a_child_without_openmp), CASE(a_child_with_tasks_outside_of_regions),
      CASE(forked_inside_a_region), CASE(forked_inside_a_task),
      CASE(another_program_started_from_a_task))
