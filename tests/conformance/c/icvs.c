// Internal control variables belong to the task that sets them: they reach its children, not its
// parent or siblings.
// conformance: env OMP_MAX_ACTIVE_LEVELS=2 OMP_SCHEDULE=guided,5
#include "check.h"

static void the_number_of_threads_does_not_leak(void) {
  int before = omp_get_max_threads();
#pragma omp parallel
#pragma omp single
  {
    int here = omp_get_max_threads();
    for (int i = 0; i < 20; i++) {
#pragma omp task firstprivate(here, i)
      {
        CHECK_EQUAL(omp_get_max_threads(), here);
        omp_set_num_threads(2 + i % 5);
        CHECK_EQUAL(omp_get_max_threads(), 2 + i % 5);
#pragma omp taskyield
        CHECK_EQUAL(omp_get_max_threads(), 2 + i % 5);
      }
    }
#pragma omp taskwait
    CHECK_EQUAL(omp_get_max_threads(), here);
  }
  CHECK_EQUAL(omp_get_max_threads(), before);
}

static void children_inherit_what_their_creator_set(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; i++) {
#pragma omp task firstprivate(i)
    {
      omp_set_num_threads(3 + i % 3);
#pragma omp task firstprivate(i)
      {
        CHECK_EQUAL(omp_get_max_threads(), 3 + i % 3);
        omp_set_num_threads(9);
      }
#pragma omp taskwait
      CHECK_EQUAL(omp_get_max_threads(), 3 + i % 3);
    }
  }
}

static void children_inherit_what_was_set_when_they_were_made(void) {
#pragma omp parallel
#pragma omp single
#pragma omp task
  {
    omp_set_num_threads(3);
#pragma omp task
    CHECK_EQUAL(omp_get_max_threads(), 3);
    omp_set_num_threads(5);
#pragma omp task
    CHECK_EQUAL(omp_get_max_threads(), 5);
#pragma omp taskwait
    CHECK_EQUAL(omp_get_max_threads(), 5);
  }
}

static void an_undeferred_task_keeps_its_own(void) {
#pragma omp parallel
#pragma omp single
  {
    omp_set_num_threads(4);
#pragma omp task if (0)
    {
      CHECK_EQUAL(omp_get_max_threads(), 4);
      omp_set_num_threads(7);
      CHECK_EQUAL(omp_get_max_threads(), 7);
    }
    CHECK_EQUAL(omp_get_max_threads(), 4);
  }
}

static void the_schedule_does_not_leak(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; i++) {
#pragma omp task firstprivate(i)
    {
      omp_sched_t kind;
      int chunk;
      omp_get_schedule(&kind, &chunk);
      CHECK_EQUAL(kind & 0xff, omp_sched_guided);
      CHECK_EQUAL(chunk, 5);
      omp_set_schedule(omp_sched_dynamic, 10 + i);
      omp_get_schedule(&kind, &chunk);
      CHECK_EQUAL(kind & 0xff, omp_sched_dynamic);
      CHECK_EQUAL(chunk, 10 + i);
    }
  }
}

static void dynamic_does_not_leak(void) {
#pragma omp parallel
#pragma omp single
  {
    omp_set_dynamic(0);
    for (int i = 0; i < 10; i++) {
#pragma omp task
      {
        CHECK(!omp_get_dynamic());
        omp_set_dynamic(1);
        CHECK(omp_get_dynamic());
      }
    }
#pragma omp taskwait
    CHECK(!omp_get_dynamic());
  }
}

static void the_default_device_does_not_leak(void) {
#pragma omp parallel
#pragma omp single
  {
    int here = omp_get_default_device();
    for (int i = 0; i < 10; i++) {
#pragma omp task firstprivate(here, i)
      {
        CHECK_EQUAL(omp_get_default_device(), here);
        omp_set_default_device(here + 1 + i);
        CHECK_EQUAL(omp_get_default_device(), here + 1 + i);
      }
    }
#pragma omp taskwait
    CHECK_EQUAL(omp_get_default_device(), here);
  }
}

static void a_region_in_a_task_has_the_size_that_the_task_set(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 6; i++) {
#pragma omp task firstprivate(i)
    {
      int size = 0;
      int want = 1 + i % 3;
      omp_set_dynamic(0);
      omp_set_num_threads(want);
#pragma omp parallel shared(size)
#pragma omp single
      size = omp_get_num_threads();
      CHECK_EQUAL(size, want);
    }
  }
}

static void threads_of_a_team_do_not_share_them(void) {
#pragma omp parallel
  {
    int mine = 2 + omp_get_thread_num() % 3;
    omp_set_num_threads(mine);
#pragma omp barrier
    CHECK_EQUAL(omp_get_max_threads(), mine);
#pragma omp task firstprivate(mine)
    CHECK_EQUAL(omp_get_max_threads(), mine);
#pragma omp barrier
    CHECK_EQUAL(omp_get_max_threads(), mine);
  }
}

// Children of a thread that has set nothing run on threads that have, and the other way round.
static void many_tasks_while_threads_set_theirs(void) {
  const int before = omp_get_max_threads();
  for (int round = 0; round < 20; round++) {
#pragma omp parallel num_threads(4)
    {
      const int own = omp_get_thread_num() % 2 == 0 ? before : 20 + omp_get_thread_num();
      if (own != before) omp_set_num_threads(own);
      for (int i = 0; i < 100; i++) {
#pragma omp task firstprivate(own)
        {
          CHECK_EQUAL(omp_get_max_threads(), own);
          if (own != before) omp_set_num_threads(own + 1);
#pragma omp task firstprivate(own)
          CHECK_EQUAL(omp_get_max_threads(), own != before ? own + 1 : before);
#pragma omp taskwait
          CHECK_EQUAL(omp_get_max_threads(), own != before ? own + 1 : before);
        }
        CHECK_EQUAL(omp_get_max_threads(), own);
      }
#pragma omp barrier
      CHECK_EQUAL(omp_get_max_threads(), own);
    }
    CHECK_EQUAL(omp_get_max_threads(), before);
  }
}

CASES(CASE(the_number_of_threads_does_not_leak), CASE(children_inherit_what_their_creator_set),
      CASE(children_inherit_what_was_set_when_they_were_made),
      CASE(an_undeferred_task_keeps_its_own), CASE(the_schedule_does_not_leak),
      CASE(dynamic_does_not_leak), CASE(the_default_device_does_not_leak),
      CASE(a_region_in_a_task_has_the_size_that_the_task_set),
      CASE(threads_of_a_team_do_not_share_them), CASE(many_tasks_while_threads_set_theirs))
