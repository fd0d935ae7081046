// Cancellation of taskgroups, loops, sections and parallel regions.
// conformance: env OMP_CANCELLATION=true
// conformance: stock-fails clang a_taskloop_is_cancelled: libomp 19 hangs
#include "check.h"

static void cancellation_is_on(void) { CHECK(omp_get_cancellation()); }

static void a_cancelled_group_ends(void) {
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 20; round++) {
    int begun = 0;
#pragma omp taskgroup
    {
      for (int i = 0; i < 50; i++) {
#pragma omp task shared(begun)
        {
          if (bump(&begun) == 5) {
#pragma omp cancel taskgroup
          }
        }
      }
    }
    CHECK(value_of(&begun) >= 5 && value_of(&begun) <= 50);
  }
}

static void tasks_made_after_the_cancellation_do_not_run(void) {
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 20; round++) {
    int ran = 0;
#pragma omp taskgroup
    {
#pragma omp task if (0)
      {
#pragma omp cancel taskgroup
      }
      for (int i = 0; i < 10; i++) {
#pragma omp task shared(ran)
        bump(&ran);
      }
    }
    CHECK_EQUAL(value_of(&ran), 0);
  }
}

static void a_cancellation_point_leaves_the_task(void) {
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 20; round++) {
    int before = 0;
    int after = 0;
#pragma omp taskgroup
    {
#pragma omp task if (0)
      {
#pragma omp cancel taskgroup
      }
#pragma omp task if (0) shared(before, after)
      {
        before = 1;
#pragma omp cancellation point taskgroup
        after = 1;
      }
    }
    CHECK_EQUAL(after, 0);
  }
}

static void cancel_leaves_its_own_task(void) {
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 20; round++) {
    int after = 0;
#pragma omp taskgroup
    {
#pragma omp task shared(after)
      {
#pragma omp cancel taskgroup
        after = 1;
      }
    }
    CHECK_EQUAL(after, 0);
  }
}

static void a_false_condition_cancels_nothing(void) {
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 20; round++) {
    int ran = 0;
    int never = 0;
#pragma omp taskgroup
    for (int i = 0; i < 20; i++) {
#pragma omp task shared(ran, never)
      {
#pragma omp cancel taskgroup if (never)
        bump(&ran);
#pragma omp cancellation point taskgroup
      }
    }
    CHECK_EQUAL(value_of(&ran), 20);
  }
}

static void an_inner_group_is_cancelled_alone(void) {
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 20; round++) {
    int outer = 0;
#pragma omp taskgroup
    {
      for (int i = 0; i < 10; i++) {
#pragma omp task shared(outer)
        bump(&outer);
      }
#pragma omp taskgroup
      {
#pragma omp task if (0)
        {
#pragma omp cancel taskgroup
        }
      }
      for (int i = 0; i < 10; i++) {
#pragma omp task shared(outer)
        bump(&outer);
      }
    }
    CHECK_EQUAL(value_of(&outer), 20);
  }
}

static void discarded_tasks_release_their_successors(void) {
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 20; round++) {
    int value = 0;
    int later = 0;
#pragma omp taskgroup
    {
      for (int i = 0; i < 20; i++) {
#pragma omp task depend(inout : value) shared(value)
        {
          value++;
          if (value == 3) {
#pragma omp cancel taskgroup
          }
        }
      }
    }
#pragma omp task depend(inout : value) shared(value, later)
    later = value;
#pragma omp taskwait
    CHECK(later >= 3 && later <= 20);
    CHECK_EQUAL(later, value);
  }
}

static void a_group_after_a_cancelled_one_is_whole(void) {
  int ran = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 20; round++) {
#pragma omp taskgroup
    {
#pragma omp task
      {
#pragma omp cancel taskgroup
      }
    }
#pragma omp taskgroup
    for (int i = 0; i < 10; i++) {
#pragma omp task shared(ran)
      bump(&ran);
    }
    CHECK_EQUAL(value_of(&ran), 10 * (round + 1));
  }
}

static void a_parallel_search_stops(void) {
  int found = -1;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  for (int i = 0; i < 500; i++) {
#pragma omp task shared(found)
    {
      if (i == 123) {
        set_value(&found, i);
#pragma omp cancel taskgroup
      }
      linger(1);
    }
  }
  CHECK_EQUAL(found, 123);
}

static void a_cancelled_static_loop_ends(void) {
  int ran = 0;
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < 1000; i++) {
      if (bump(&ran) > 20) {
#pragma omp cancel for
      }
#pragma omp cancellation point for
    }
  }
  CHECK(ran >= 21 && ran <= 1000);
}

static void a_cancelled_dynamic_loop_ends(void) {
  int ran = 0;
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 5)
    for (int i = 0; i < 1000; i++) {
      if (bump(&ran) > 20) {
#pragma omp cancel for
      }
    }
  }
  CHECK(ran >= 21 && ran < 1000);
}

static void cancelled_sections_end(void) {
  int first = 0;
#pragma omp parallel
  {
#pragma omp sections
    {
#pragma omp section
      {
        bump(&first);
#pragma omp cancel sections
        bump(&first);
      }
#pragma omp section
      linger(1);
#pragma omp section
      linger(1);
    }
  }
  CHECK_EQUAL(first, 1);
}

static void a_cancelled_region_ends(void) {
  int after = 0;
  for (int round = 0; round < 10; round++) {
#pragma omp parallel
    {
      if (omp_get_thread_num() == 0) {
#pragma omp cancel parallel
        bump(&after);
      }
#pragma omp barrier
      bump(&after);
    }
  }
  CHECK_EQUAL(after, 0);
}

static void a_cancelled_region_lets_go_of_waiting_threads(void) {
  for (int round = 0; round < 20; round++) {
    int passed = 0;
#pragma omp parallel
    {
      if (omp_get_thread_num() == omp_get_num_threads() - 1) {
        linger(2);
#pragma omp cancel parallel
      }
#pragma omp barrier
      bump(&passed);
#pragma omp barrier
    }
    CHECK_EQUAL(passed, 0);
  }
}

static void regions_after_a_cancelled_one_are_whole(void) {
  for (int round = 0; round < 10; round++) {
    int ran = 0;
#pragma omp parallel
    {
#pragma omp cancel parallel
    }
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 20; i++) {
#pragma omp task shared(ran)
      bump(&ran);
    }
    CHECK_EQUAL(ran, 20);
  }
}

static void a_loop_with_tasks_in_a_group_is_cancelled_in_the_tasks_only(void) {
  int iterations = 0;
#pragma omp parallel for
  for (int i = 0; i < 40; i++) {
    bump(&iterations);
#pragma omp taskgroup
    {
#pragma omp task
      {
#pragma omp cancel taskgroup
      }
    }
  }
  CHECK_EQUAL(iterations, 40);
}

static void a_taskloop_is_cancelled(void) {
  int ran = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    {
#pragma omp taskloop nogroup grainsize(1) shared(ran)
      for (int i = 0; i < 200; i++) {
        if (bump(&ran) == 10) {
#pragma omp cancel taskgroup
        }
      }
    }
    CHECK(value_of(&ran) >= 10 && value_of(&ran) <= 200);
  }
}

CASES(CASE(cancellation_is_on), CASE(a_cancelled_group_ends),
      CASE(tasks_made_after_the_cancellation_do_not_run),
      CASE(a_cancellation_point_leaves_the_task), CASE(cancel_leaves_its_own_task),
      CASE(a_false_condition_cancels_nothing), CASE(an_inner_group_is_cancelled_alone),
      CASE(discarded_tasks_release_their_successors), CASE(a_group_after_a_cancelled_one_is_whole),
      CASE(a_parallel_search_stops), CASE(a_cancelled_static_loop_ends),
      CASE(a_cancelled_dynamic_loop_ends), CASE(cancelled_sections_end),
      CASE(a_cancelled_region_ends), CASE(a_cancelled_region_lets_go_of_waiting_threads),
      CASE(regions_after_a_cancelled_one_are_whole),
      CASE(a_loop_with_tasks_in_a_group_is_cancelled_in_the_tasks_only),
      CASE(a_taskloop_is_cancelled))
