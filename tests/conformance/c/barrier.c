// Barriers, explicit and implicit: all tasks of the team made before are complete after.
#include "check.h"

static void an_explicit_barrier_completes_tasks(void) {
  int done = 0;
#pragma omp parallel
  for (int round = 1; round <= 20; round++) {
    for (int i = 0; i < 5; i++) {
#pragma omp task shared(done)
      {
        linger(1);
        bump(&done);
      }
    }
#pragma omp barrier
    CHECK_EQUAL(value_of(&done), 5 * round * omp_get_num_threads());
#pragma omp barrier
  }
}

static void tasks_of_one_thread_are_seen_by_all(void) {
  int data[100] = {0};
#pragma omp parallel
  {
    if (omp_get_thread_num() == omp_get_num_threads() - 1)
      for (int i = 0; i < 100; i++) {
#pragma omp task shared(data)
        data[i] = i + 1;
      }
#pragma omp barrier
    for (int i = 0; i < 100; i++) CHECK_EQUAL(data[i], i + 1);
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

static void a_barrier_completes_descendants(void) {
  int done = 0;
#pragma omp parallel
  {
#pragma omp task shared(done)
    descend(6, &done);
#pragma omp barrier
    CHECK_EQUAL(value_of(&done), 127 * omp_get_num_threads());
  }
}

static void the_end_of_single_is_a_barrier(void) {
#pragma omp parallel
  for (int round = 0; round < 20; round++) {
    static int done;
#pragma omp single
    {
      done = 0;
      for (int i = 0; i < 10; i++) {
#pragma omp task shared(done)
        bump(&done);
      }
    }
    CHECK_EQUAL(value_of(&done), 10);
#pragma omp barrier
  }
}

static void the_end_of_a_loop_is_a_barrier(void) {
  int done = 0;
#pragma omp parallel
  for (int round = 1; round <= 10; round++) {
#pragma omp for
    for (int i = 0; i < 40; i++) {
#pragma omp task shared(done)
      bump(&done);
    }
    CHECK_EQUAL(value_of(&done), 40 * round);
#pragma omp barrier
  }
}

static void the_end_of_a_dynamic_loop_is_a_barrier(void) {
  int done = 0;
#pragma omp parallel
  for (int round = 1; round <= 10; round++) {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 40; i++) {
#pragma omp task shared(done)
      bump(&done);
    }
    CHECK_EQUAL(value_of(&done), 40 * round);
#pragma omp barrier
  }
}

static void the_end_of_sections_is_a_barrier(void) {
  int done = 0;
#pragma omp parallel
  for (int round = 1; round <= 10; round++) {
#pragma omp sections
    {
#pragma omp section
      {
#pragma omp task shared(done)
        bump(&done);
      }
#pragma omp section
      {
#pragma omp task shared(done)
        bump(&done);
#pragma omp task shared(done)
        bump(&done);
      }
    }
    CHECK_EQUAL(value_of(&done), 3 * round);
#pragma omp barrier
  }
}

static void the_end_of_a_region_completes_tasks(void) {
  for (int round = 0; round < 50; round++) {
    int done = 0;
    int threads = 0;
#pragma omp parallel shared(done, threads)
    {
#pragma omp atomic write
      threads = omp_get_num_threads();
#pragma omp task shared(done)
      {
#pragma omp task shared(done)
        bump(&done);
        bump(&done);
      }
    }
    CHECK_EQUAL(done, 2 * threads);
  }
}

static void many_barriers_without_tasks(void) {
  int phase = 0;
#pragma omp parallel
  for (int round = 0; round < 60; round++) {
    if (omp_get_thread_num() == round % omp_get_num_threads()) phase++;
#pragma omp barrier
    CHECK_EQUAL(phase, round + 1);
#pragma omp barrier
  }
}

static void tasks_may_wait_inside_a_barrier(void) {
  int total = 0;
#pragma omp parallel
  {
#pragma omp single nowait
    for (int i = 0; i < 20; i++) {
#pragma omp task shared(total)
      {
        int mine = 0;
        for (int j = 0; j < 5; j++) {
#pragma omp task shared(mine)
          bump(&mine);
        }
#pragma omp taskwait
#pragma omp atomic
        total += mine;
      }
    }
#pragma omp barrier
    CHECK_EQUAL(value_of(&total), 100);
  }
}

static void late_tasks_from_tasks_in_a_barrier(void) {
  int done = 0;
#pragma omp parallel
  {
#pragma omp single nowait
    {
#pragma omp task shared(done)
      {
        linger(50);
        for (int i = 0; i < 100; i++) {
#pragma omp task shared(done)
          {
            linger(1);
            bump(&done);
          }
        }
      }
    }
#pragma omp barrier
    CHECK_EQUAL(value_of(&done), 100);
  }
}

static void dependences_are_resolved_in_a_barrier(void) {
  int value = 0;
#pragma omp parallel
  {
#pragma omp single nowait
    for (int i = 0; i < 50; i++) {
#pragma omp task depend(inout : value) shared(value)
      value++;
    }
#pragma omp barrier
    CHECK_EQUAL(value, 50);
  }
}

CASES(CASE(an_explicit_barrier_completes_tasks), CASE(tasks_of_one_thread_are_seen_by_all),
      CASE(a_barrier_completes_descendants), CASE(the_end_of_single_is_a_barrier),
      CASE(the_end_of_a_loop_is_a_barrier), CASE(the_end_of_a_dynamic_loop_is_a_barrier),
      CASE(the_end_of_sections_is_a_barrier), CASE(the_end_of_a_region_completes_tasks),
      CASE(many_barriers_without_tasks), CASE(tasks_may_wait_inside_a_barrier),
      CASE(late_tasks_from_tasks_in_a_barrier), CASE(dependences_are_resolved_in_a_barrier))
