// taskgroup: waits for all descendants that were made in it.
#include "check.h"

static void waits_for_children(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; i++) {
    int done = 0;
#pragma omp taskgroup
    for (int j = 0; j < 10; j++) {
#pragma omp task shared(done)
      {
        linger(1);
        bump(&done);
      }
    }
    CHECK_EQUAL(value_of(&done), 10);
  }
}

static void descend(int depth, int* done) {
  bump(done);
  if (depth == 0) return;
#pragma omp task firstprivate(depth, done)
  descend(depth - 1, done);
#pragma omp task firstprivate(depth, done)
  descend(depth - 1, done);
}

static void waits_for_all_descendants(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; i++) {
    int done = 0;
#pragma omp taskgroup
    descend(6, &done);
    CHECK_EQUAL(value_of(&done), 127);
  }
}

static void groups_nest(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
    int outer = 0;
    int inner = 0;
#pragma omp taskgroup
    {
#pragma omp task shared(outer)
      bump(&outer);
#pragma omp taskgroup
      {
#pragma omp task shared(inner)
        descend(2, &inner);
      }
      CHECK_EQUAL(value_of(&inner), 7);
#pragma omp task shared(outer)
      bump(&outer);
    }
    CHECK_EQUAL(value_of(&outer), 2);
  }
}

static void a_group_inside_a_task_of_a_group(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
    int total = 0;
#pragma omp taskgroup
    for (int j = 0; j < 4; j++) {
#pragma omp task shared(total)
      {
        int mine = 0;
#pragma omp taskgroup
        for (int k = 0; k < 4; k++) {
#pragma omp task shared(mine)
          bump(&mine);
        }
        CHECK_EQUAL(value_of(&mine), 4);
#pragma omp atomic
        total += mine;
      }
    }
    CHECK_EQUAL(value_of(&total), 16);
  }
}

static void an_empty_group_ends_at_once(void) {
  int rounds = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 200; i++) {
#pragma omp taskgroup
    rounds++;
  }
  CHECK_EQUAL(rounds, 200);
}

static void every_thread_has_its_own_group(void) {
  int bad = 0;
#pragma omp parallel
  for (int i = 0; i < 20; i++) {
    int done = 0;
#pragma omp taskgroup
    for (int j = 0; j < 5; j++) {
#pragma omp task shared(done)
      {
#pragma omp task shared(done)
        bump(&done);
        bump(&done);
      }
    }
    if (value_of(&done) != 10) bump(&bad);
  }
  CHECK_EQUAL(bad, 0);
}

static void a_taskwait_inside_does_not_end_the_group(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
    int done = 0;
#pragma omp taskgroup
    {
#pragma omp task shared(done)
      bump(&done);
#pragma omp taskwait
      CHECK(value_of(&done) >= 1);
#pragma omp task shared(done)
      descend(3, &done);
    }
    CHECK_EQUAL(value_of(&done), 16);
  }
}

static void dependences_cross_the_start_of_a_group(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
#pragma omp task depend(out : value) shared(value) firstprivate(i)
    {
      linger(3);
      value = i;
    }
#pragma omp taskgroup
    {
#pragma omp task depend(in : value) shared(value) firstprivate(i)
      CHECK_EQUAL(value, i);
    }
  }
}

static void a_group_outside_a_parallel_region(void) {
  int done = 0;
#pragma omp taskgroup
  {
#pragma omp task shared(done)
    descend(3, &done);
  }
  CHECK_EQUAL(done, 15);
}

static void a_group_in_an_undeferred_or_final_task(void) {
#pragma omp parallel
#pragma omp single
  {
    int done = 0;
#pragma omp task if (0) shared(done)
    {
#pragma omp taskgroup
      descend(3, &done);
      CHECK_EQUAL(value_of(&done), 15);
    }
#pragma omp task final(1) shared(done)
    {
#pragma omp taskgroup
      descend(3, &done);
      CHECK_EQUAL(value_of(&done), 30);
    }
#pragma omp taskwait
    CHECK_EQUAL(value_of(&done), 30);
  }
}

static int sum_by_groups(int low, int high) {
  int left = 0;
  int right = 0;
  if (high - low == 1) return low;
#pragma omp taskgroup
  {
#pragma omp task shared(left) firstprivate(low, high)
    left = sum_by_groups(low, (low + high) / 2);
#pragma omp task shared(right) firstprivate(low, high)
    right = sum_by_groups((low + high) / 2, high);
  }
  return left + right;
}

static void recursion_by_groups(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  sum = sum_by_groups(0, 512);
  CHECK_EQUAL(sum, 512 * 511 / 2);
}

CASES(CASE(waits_for_children), CASE(waits_for_all_descendants), CASE(groups_nest),
      CASE(a_group_inside_a_task_of_a_group), CASE(an_empty_group_ends_at_once),
      CASE(every_thread_has_its_own_group), CASE(a_taskwait_inside_does_not_end_the_group),
      CASE(dependences_cross_the_start_of_a_group), CASE(a_group_outside_a_parallel_region),
      CASE(a_group_in_an_undeferred_or_final_task), CASE(recursion_by_groups))
