// final: descendants are included tasks, run at once by their creator.
#include "check.h"

// Through a pointer: Clang merges calls of omp_in_final in one function, although what lies
// between them may be another task.
static int (*volatile in_final)(void) = omp_in_final;

static void final_is_seen_inside(void) {
#pragma omp parallel
#pragma omp single
  {
    CHECK(!in_final());
#pragma omp task final(1)
    CHECK(in_final());
#pragma omp task final(0)
    CHECK(!in_final());
#pragma omp task
    CHECK(!in_final());
  }
}

static void descendants_of_a_final_task_are_final(void) {
  int finals = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task final(1) shared(finals)
    {
#pragma omp task shared(finals)
      {
        finals += in_final();
#pragma omp task final(0) shared(finals)
        finals += in_final();
      }
    }
  }
  CHECK_EQUAL(finals, 2);
}

static void children_of_a_final_task_run_at_once(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; i++) {
#pragma omp task final(1)
    {
      int me = omp_get_thread_num();
      int done = 0;
      int there = -1;
#pragma omp task shared(done, there)
      {
        done = 1;
        there = omp_get_thread_num();
      }
      CHECK_EQUAL(done, 1);
      CHECK_EQUAL(there, me);
    }
  }
}

static void the_task_after_a_final_one_is_not_final(void) {
  int finals = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 64; i++) {
#pragma omp task final(i % 2 == 0) shared(finals)
    if (in_final()) bump(&finals);
#pragma omp taskwait
    CHECK(!in_final());
  }
  CHECK_EQUAL(finals, 32);
}

static int fib(int n) {
  int a;
  int b;
  if (n < 2) return n;
#pragma omp task shared(a) firstprivate(n) final(n <= 8)
  a = fib(n - 1);
#pragma omp task shared(b) firstprivate(n) final(n <= 8)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

static void a_recursion_may_end_in_final_tasks(void) {
  int result = 0;
#pragma omp parallel
#pragma omp single
  result = fib(18);
  CHECK_EQUAL(result, 2584);
}

static void an_included_task_may_have_dependences(void) {
  int order = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task final(1) shared(order)
    {
      int x = 0;
#pragma omp task depend(out : x) shared(order, x)
      x = ++order;
#pragma omp task depend(in : x) shared(order, x)
      {
        CHECK_EQUAL(x, 1);
        ++order;
      }
    }
  }
  CHECK_EQUAL(order, 2);
}

static void a_final_undeferred_task_is_final(void) {
#pragma omp parallel
#pragma omp single
  {
    int inside = 0;
#pragma omp task if (0) final(1) shared(inside)
    inside = in_final();
    CHECK_EQUAL(inside, 1);
    CHECK(!in_final());
  }
}

CASES(CASE(final_is_seen_inside), CASE(descendants_of_a_final_task_are_final),
      CASE(children_of_a_final_task_run_at_once), CASE(the_task_after_a_final_one_is_not_final),
      CASE(a_recursion_may_end_in_final_tasks), CASE(an_included_task_may_have_dependences),
      CASE(a_final_undeferred_task_is_final))
