// Regions and tasks in handlers that run when the program ends, and before main.
#include "check.h"

static int run_tasks(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 30; i++) {
#pragma omp task depend(inout : value) shared(value)
    value++;
  }
  return value;
}

static int before_main;

__attribute__((constructor)) static void early(void) { before_main = run_tasks(); }

static void late(void) {
  if (run_tasks() == 30)
    printf("ok tasks_at_exit\n");
  else
    printf("FAILED tasks_at_exit\n");
  fflush(stdout);
}

static void tasks_before_main(void) { CHECK_EQUAL(before_main, 30); }

static void tasks_in_main(void) {
  CHECK_EQUAL(run_tasks(), 30);
  CHECK_EQUAL(atexit(late), 0);
}

CASES(CASE(tasks_before_main), CASE(tasks_in_main))
