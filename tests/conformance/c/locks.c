// Locks and critical regions in tasks, and who owns a nestable lock.
// conformance: stock-fails clang another_task_does_not_own_a_nestable_lock: in libomp 19 the thread owns it
#include "check.h"

static void critical_regions_exclude_tasks(void) {
  int value = 0;
  int inside = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 200; i++) {
#pragma omp task shared(value, inside)
#pragma omp critical
    {
      CHECK_EQUAL(bump(&inside), 1);
      value++;
      drop(&inside);
    }
  }
  CHECK_EQUAL(value, 200);
}

static void named_critical_regions(void) {
  int a = 0;
  int b = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; i++) {
#pragma omp task shared(a)
#pragma omp critical(first)
    a++;
#pragma omp task shared(a, b)
#pragma omp critical(second)
    {
      b++;
#pragma omp critical(first)
      a++;
    }
  }
  CHECK_EQUAL(a, 200);
  CHECK_EQUAL(b, 100);
}

static void locks_exclude_tasks(void) {
  int value = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 200; i++) {
#pragma omp task shared(value, lock)
    {
      omp_set_lock(&lock);
      value++;
      omp_unset_lock(&lock);
    }
  }
  omp_destroy_lock(&lock);
  CHECK_EQUAL(value, 200);
}

static void a_lock_held_across_a_taskwait(void) {
  // While a tied task waits for its child, its thread may run only descendants of it: none of the
  // others that want the same lock.
  int value = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; i++) {
#pragma omp task shared(value, lock)
    {
      omp_set_lock(&lock);
      int before = value;
      int child = 0;
#pragma omp task shared(child)
      child = 1;
#pragma omp taskwait
      value = before + child;
      omp_unset_lock(&lock);
    }
  }
  omp_destroy_lock(&lock);
  CHECK_EQUAL(value, 50);
}

static void a_lock_held_across_a_taskgroup(void) {
  int value = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; i++) {
#pragma omp task shared(value, lock)
    {
      omp_set_lock(&lock);
      int mine = 0;
#pragma omp taskgroup
      {
#pragma omp task shared(mine)
        {
#pragma omp task shared(mine)
          bump(&mine);
        }
      }
      value += mine;
      omp_unset_lock(&lock);
    }
  }
  omp_destroy_lock(&lock);
  CHECK_EQUAL(value, 50);
}

static void a_lock_held_across_a_taskloop(void) {
  int value = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 30; i++) {
#pragma omp task shared(value, lock)
    {
      omp_set_lock(&lock);
      int mine = 0;
#pragma omp taskloop grainsize(1) shared(mine)
      for (int j = 0; j < 4; j++) bump(&mine);
      value += mine;
      omp_unset_lock(&lock);
    }
  }
  omp_destroy_lock(&lock);
  CHECK_EQUAL(value, 120);
}

static void a_critical_region_around_an_undeferred_task_that_waits(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; i++) {
#pragma omp task shared(value)
#pragma omp critical
    {
      int inner = 0;
#pragma omp task if (0) shared(inner)
      {
#pragma omp task shared(inner)
        inner = 1;
#pragma omp taskwait
      }
      value += inner;
    }
  }
  CHECK_EQUAL(value, 50);
}

static void a_critical_region_around_taskyield(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task shared(value)
    for (int i = 0; i < 50; i++) {
#pragma omp task shared(value)
      {
        int before;
#pragma omp atomic capture
        before = value++;
        (void)before;
#pragma omp taskyield
      }
    }
  }
  CHECK_EQUAL(value, 50);
}

static void a_nestable_lock_is_owned_by_the_task(void) {
  int value = 0;
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; i++) {
#pragma omp task shared(value, lock)
    {
      omp_set_nest_lock(&lock);
      int child = 0;
#pragma omp task shared(child)
      child = 1;
#pragma omp taskwait
      CHECK_EQUAL(omp_test_nest_lock(&lock), 2);
      value += child;
      omp_set_nest_lock(&lock);
      omp_unset_nest_lock(&lock);
      omp_unset_nest_lock(&lock);
      omp_unset_nest_lock(&lock);
    }
  }
  omp_destroy_nest_lock(&lock);
  CHECK_EQUAL(value, 50);
}

static void a_nestable_lock_of_an_implicit_task_across_explicit_ones(void) {
  int bad = 0;
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
#pragma omp parallel
  for (int i = 0; i < 20; i++) {
    omp_set_nest_lock(&lock);
    int child = 0;
#pragma omp task shared(child)
    child = 1;
#pragma omp taskwait
    if (omp_test_nest_lock(&lock) != 2 || child != 1) bump(&bad);
    omp_unset_nest_lock(&lock);
    omp_unset_nest_lock(&lock);
  }
  omp_destroy_nest_lock(&lock);
  CHECK_EQUAL(bad, 0);
}

static void another_task_does_not_own_a_nestable_lock(void) {
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
    int got = -1;
    omp_set_nest_lock(&lock);
#pragma omp task if (0) shared(lock, got)
    got = omp_test_nest_lock(&lock);
    CHECK_EQUAL(got, 0);
#pragma omp task shared(lock, got)
    got = omp_test_nest_lock(&lock);
#pragma omp taskwait
    CHECK_EQUAL(got, 0);
    omp_unset_nest_lock(&lock);
  }
  omp_destroy_nest_lock(&lock);
}

static void locks_that_are_tested(void) {
  int value = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; i++) {
#pragma omp task shared(value, lock)
    {
      while (!omp_test_lock(&lock)) sched_yield();
      value++;
      omp_unset_lock(&lock);
    }
  }
  omp_destroy_lock(&lock);
  CHECK_EQUAL(value, 100);
}

CASES(CASE(critical_regions_exclude_tasks), CASE(named_critical_regions), CASE(locks_exclude_tasks),
      CASE(a_lock_held_across_a_taskwait), CASE(a_lock_held_across_a_taskgroup),
      CASE(a_lock_held_across_a_taskloop),
      CASE(a_critical_region_around_an_undeferred_task_that_waits),
      CASE(a_critical_region_around_taskyield), CASE(a_nestable_lock_is_owned_by_the_task),
      CASE(a_nestable_lock_of_an_implicit_task_across_explicit_ones),
      CASE(another_task_does_not_own_a_nestable_lock), CASE(locks_that_are_tested))
