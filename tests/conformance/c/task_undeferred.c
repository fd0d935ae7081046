// if(0): the creator waits until the body has run; its children need not have.
#include "check.h"

static void runs_before_the_creator_goes_on(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; i++) {
    int done = 0;
#pragma omp task if (0) shared(done)
    {
      linger(1);
      done = 1;
    }
    CHECK_EQUAL(done, 1);
  }
}

static void runs_on_the_thread_of_the_creator(void) {
#pragma omp parallel
  {
    int me = omp_get_thread_num();
    int there = -1;
#pragma omp task if (0) shared(there)
    there = omp_get_thread_num();
    CHECK_EQUAL(there, me);
  }
}

static void the_condition_is_evaluated_for_each_task(void) {
  int deferred = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 60; i++) {
      int done = 0;
      int now = i % 3 == 0;
#pragma omp task if (task : !now) shared(deferred) shared(done) firstprivate(now)
      {
        if (now)
          done = 1;
        else
          bump(&deferred);
      }
      if (now) CHECK_EQUAL(done, 1);
#pragma omp taskwait
    }
  }
  CHECK_EQUAL(deferred, 40);
}

static void children_are_deferred_and_waited_for_by_taskgroup(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    {
#pragma omp task if (0) shared(done)
      for (int i = 0; i < 50; i++) {
#pragma omp task shared(done)
        bump(&done);
      }
    }
    CHECK_EQUAL(value_of(&done), 50);
  }
}

static void taskwait_inside_waits_for_its_children(void) {
  int total = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
#pragma omp task if (0) shared(total)
    {
      int mine = 0;
      for (int j = 0; j < 5; j++) {
#pragma omp task shared(mine)
        bump(&mine);
      }
#pragma omp taskwait
      CHECK_EQUAL(mine, 5);
      total += mine;
    }
  }
  CHECK_EQUAL(total, 100);
}

static int depth_by_undeferred_tasks(int depth) {
  int below = 0;
  if (depth == 0) return 0;
#pragma omp task if (0) shared(below) firstprivate(depth)
  below = depth_by_undeferred_tasks(depth - 1);
  return below + 1;
}

static void undeferred_tasks_nest(void) {
#pragma omp parallel
#pragma omp single
  CHECK_EQUAL(depth_by_undeferred_tasks(500), 500);
}

CASES(CASE(runs_before_the_creator_goes_on), CASE(runs_on_the_thread_of_the_creator),
      CASE(the_condition_is_evaluated_for_each_task),
      CASE(children_are_deferred_and_waited_for_by_taskgroup),
      CASE(taskwait_inside_waits_for_its_children), CASE(undeferred_tasks_nest))
