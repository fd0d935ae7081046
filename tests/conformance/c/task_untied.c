// untied: the task may go on on another thread after a scheduling point; its locals must survive.
#include "check.h"

static void locals_survive_a_taskwait(void) {
  int bad = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; i++) {
#pragma omp task untied shared(bad) firstprivate(i)
    {
      int local = i * 2;
      int child = 0;
#pragma omp task shared(child) firstprivate(i)
      child = i;
#pragma omp taskwait
      if (local != i * 2 || child != i) bump(&bad);
    }
  }
  CHECK_EQUAL(bad, 0);
}

static void locals_survive_a_taskyield(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; i++) {
#pragma omp task untied shared(sum) firstprivate(i)
    {
      int local = i;
#pragma omp taskyield
      local++;
#pragma omp taskyield
#pragma omp atomic
      sum += local;
    }
  }
  CHECK_EQUAL(sum, 5050);
}

static void locals_survive_a_taskgroup(void) {
  int bad = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; i++) {
#pragma omp task untied shared(bad) firstprivate(i)
    {
      int local = i;
      int first = 0;
      int second = 0;
#pragma omp taskgroup
      {
#pragma omp task shared(first) firstprivate(i)
        first = i;
#pragma omp task shared(second) firstprivate(i)
        second = i;
      }
      if (local != i || first != i || second != i) bump(&bad);
    }
  }
  CHECK_EQUAL(bad, 0);
}

static void create_bumps(int count, int* done) {
  for (int i = 0; i < count; i++) {
#pragma omp task firstprivate(done)
    bump(done);
  }
}

static void an_untied_producer_calls_a_function(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
#pragma omp task untied shared(done)
  {
    create_bumps(1000, &done);
#pragma omp taskwait
    create_bumps(1000, &done);
  }
  CHECK_EQUAL(done, 2000);
}

static void untied_tasks_take_part_in_dependences(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 40; i++) {
#pragma omp task untied depend(inout : value) shared(value) firstprivate(i)
    {
      CHECK_EQUAL(value, i);
#pragma omp taskyield
      int child = 0;
#pragma omp task shared(child)
      child = 1;
#pragma omp taskwait
      value += child;
    }
  }
  CHECK_EQUAL(value, 40);
}

static int tree(int depth) {
  int left = 0;
  int right = 0;
  if (depth == 0) return 1;
#pragma omp task untied shared(left) firstprivate(depth)
  left = tree(depth - 1);
#pragma omp task untied shared(right) firstprivate(depth)
  right = tree(depth - 1);
#pragma omp taskwait
  return left + right;
}

static void a_tree_of_untied_tasks(void) {
  int leaves = 0;
#pragma omp parallel
#pragma omp single
  leaves = tree(10);
  CHECK_EQUAL(leaves, 1024);
}

CASES(CASE(locals_survive_a_taskwait), CASE(locals_survive_a_taskyield),
      CASE(locals_survive_a_taskgroup), CASE(an_untied_producer_calls_a_function),
      CASE(untied_tasks_take_part_in_dependences), CASE(a_tree_of_untied_tasks))
