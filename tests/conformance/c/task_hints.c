// Clauses that permit but do not oblige: mergeable, priority, affinity. Results are the same.
// conformance: env OMP_MAX_TASK_PRIORITY=20
#include "check.h"

static void a_mergeable_task_uses_shared_data(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; i++) {
#pragma omp task mergeable shared(sum)
    bump(&sum);
  }
  CHECK_EQUAL(sum, 100);
}

static void an_undeferred_mergeable_task_may_share_the_data_of_its_creator(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; i++) {
    int value = i;
#pragma omp task mergeable if (0)
    value++;
    CHECK(value == i || value == i + 1);
  }
}

static void a_mergeable_task_in_a_final_one_runs_at_once(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
#pragma omp task final(1) shared(sum)
  {
    for (int i = 0; i < 10; i++) {
#pragma omp task mergeable shared(sum)
      sum++;
      CHECK_EQUAL(sum, i + 1);
    }
  }
  CHECK_EQUAL(sum, 10);
}

static void every_priority_runs_once(void) {
  int seen[64] = {0};
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 64; i++) {
#pragma omp task priority(i % 30) shared(seen)
    bump(&seen[i]);
  }
  for (int i = 0; i < 64; i++) CHECK_EQUAL(seen[i], 1);
}

static void the_largest_priority_is_what_the_user_set(void) {
  CHECK_EQUAL(omp_get_max_task_priority(), 20);
}

static void a_dependence_outranks_a_priority(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 40; i++) {
#pragma omp task priority(i % 20) depend(inout : value) shared(value) firstprivate(i)
    {
      CHECK_EQUAL(value, i);
      value = i + 1;
    }
  }
  CHECK_EQUAL(value, 40);
}

static void taskwait_waits_for_low_and_high(void) {
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 10; round++) {
    int done = 0;
    for (int i = 0; i < 30; i++) {
#pragma omp task priority(i % 3 == 0 ? 20 : 0) shared(done)
      bump(&done);
    }
#pragma omp taskwait
    CHECK_EQUAL(done, 30);
  }
}

static void a_taskgroup_with_priorities_waits_for_all(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    for (int i = 0; i < 30; i++) {
#pragma omp task priority(i) shared(done)
      {
#pragma omp task priority(30 - i) shared(done)
        bump(&done);
        bump(&done);
      }
    }
    CHECK_EQUAL(value_of(&done), 60);
  }
}

static void affinity_names_data_of_the_task(void) {
  enum { blocks = 16, length = 256 };
  static double data[blocks][length];
  double sum = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int b = 0; b < blocks; b++) {
#pragma omp task affinity(data[b][0 : length]) firstprivate(b) shared(data)
      for (int i = 0; i < length; i++) data[b][i] = b;
    }
#pragma omp taskwait
    for (int b = 0; b < blocks; b++)
      for (int i = 0; i < length; i++) sum += data[b][i];
  }
  CHECK_EQUAL(sum, length * (blocks - 1) * blocks / 2);
}

static void affinity_goes_with_depend_and_other_items(void) {
  int value = 0;
  static int other[100];
  int* pointer = other;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 30; i++) {
#pragma omp task affinity(value, other[10 : 20]) affinity(pointer[i : 5]) depend(inout : value) \
    shared(value, other) firstprivate(pointer)
    {
      other[value % 100] = value;
      value++;
    }
  }
  CHECK_EQUAL(value, 30);
}

static void affinity_takes_an_iterator(void) {
  static int data[10][50];
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
#pragma omp task affinity(iterator(k = 0 : 10 : 3) : data[k][0 : 50]) shared(done)
    bump(&done);
  }
  CHECK_EQUAL(done, 20);
}

CASES(CASE(a_mergeable_task_uses_shared_data),
      CASE(an_undeferred_mergeable_task_may_share_the_data_of_its_creator),
      CASE(a_mergeable_task_in_a_final_one_runs_at_once), CASE(every_priority_runs_once),
      CASE(the_largest_priority_is_what_the_user_set), CASE(a_dependence_outranks_a_priority),
      CASE(taskwait_waits_for_low_and_high), CASE(a_taskgroup_with_priorities_waits_for_all),
      CASE(affinity_names_data_of_the_task), CASE(affinity_goes_with_depend_and_other_items),
      CASE(affinity_takes_an_iterator))
