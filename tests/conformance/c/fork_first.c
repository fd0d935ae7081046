// fork before OpenMP was used: parent and child both may use it.
#include <sys/wait.h>

#include "check.h"

static int tasks_are_right(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; i++) {
#pragma omp task depend(inout : value) shared(value)
    value++;
  }
  return value == 50;
}

static void parent_and_children_run_tasks(void) {
  pid_t children[3];
  for (int i = 0; i < 3; i++) {
    children[i] = fork();
    CHECK(children[i] >= 0);
    if (children[i] == 0) _exit(tasks_are_right() ? 0 : 1);
  }
  CHECK(tasks_are_right());
  for (int i = 0; i < 3; i++) {
    int status = -1;
    CHECK_EQUAL(waitpid(children[i], &status, 0), children[i]);
    CHECK_EQUAL(status, 0);
  }
  CHECK(tasks_are_right());
}

CASES(CASE(parent_and_children_run_tasks))
