// mutexinoutset: members exclude each other, in any order; the set keeps its place among others.
#include "check.h"

static void members_exclude_each_other(void) {
  int value = 0;
  int inside = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 200; i++) {
#pragma omp task depend(mutexinoutset : value) shared(value, inside)
    {
      CHECK_EQUAL(bump(&inside), 1);
      int before = value;
      linger(1);
      value = before + 1;
      drop(&inside);
    }
  }
  CHECK_EQUAL(value, 200);
}

static void the_set_is_after_out_and_before_in(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 10; round++) {
#pragma omp task depend(out : value) shared(value)
    {
      linger(5);
      value = 100;
    }
    for (int i = 0; i < 8; i++) {
#pragma omp task depend(mutexinoutset : value) shared(value)
      {
        CHECK(value >= 100);
        value++;
      }
    }
#pragma omp task depend(in : value) shared(value)
    CHECK_EQUAL(value, 108);
#pragma omp task depend(inout : value) shared(value)
    {
      CHECK_EQUAL(value, 108);
      value = -1;
    }
  }
  CHECK_EQUAL(value, -1);
}

static void the_set_waits_for_readers(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 10; round++) {
    for (int i = 0; i < 5; i++) {
#pragma omp task depend(in : value) shared(value) firstprivate(round)
      {
        linger(1);
        CHECK_EQUAL(value, 5 * round);
      }
    }
    for (int i = 0; i < 5; i++) {
#pragma omp task depend(mutexinoutset : value) shared(value)
      value++;
    }
  }
  CHECK_EQUAL(value, 50);
}

static void two_items_are_both_held(void) {
  int cells[3] = {0, 0, 0};
  int inside[3] = {0, 0, 0};
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 150; i++) {
    int a = i % 3;
    int b = (i + 1 + i / 3 % 2) % 3;
#pragma omp task depend(mutexinoutset : cells[a], cells[b]) shared(cells, inside) firstprivate(a, b)
    {
      CHECK_EQUAL(bump(&inside[a]), 1);
      CHECK_EQUAL(bump(&inside[b]), 1);
      cells[a]++;
      cells[b]++;
      drop(&inside[b]);
      drop(&inside[a]);
    }
  }
  CHECK_EQUAL(cells[0] + cells[1] + cells[2], 300);
}

static void sets_go_with_other_dependences(void) {
  int inputs[4] = {0};
  int sum = 0;
  int result = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 4; i++) {
#pragma omp task depend(out : inputs[i]) shared(inputs) firstprivate(i)
      {
        linger(2);
        inputs[i] = i + 1;
      }
    }
    for (int i = 0; i < 4; i++) {
#pragma omp task depend(in : inputs[i]) depend(mutexinoutset : sum) shared(inputs, sum) \
    firstprivate(i)
      sum += inputs[i];
    }
#pragma omp task depend(in : sum) depend(out : result) shared(sum, result)
    result = sum;
  }
  CHECK_EQUAL(result, 10);
}

static void a_set_of_one(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 40; i++) {
#pragma omp task depend(mutexinoutset : value) shared(value)
    value++;
#pragma omp task depend(inout : value) shared(value) firstprivate(i)
    CHECK_EQUAL(value, i + 1);
  }
  CHECK_EQUAL(value, 40);
}

static void a_member_may_wait_for_its_children(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 30; i++) {
#pragma omp task depend(mutexinoutset : value) shared(value)
    {
      int before = value;
      int child = 0;
#pragma omp task shared(child)
      child = 1;
#pragma omp taskwait
      value = before + child;
    }
  }
  CHECK_EQUAL(value, 30);
}

static void enter_alone(int* inside, int* value) {
  CHECK_EQUAL(bump(inside), 1);
  int before = *value;
  linger(3);
  *value = before + 1;
  drop(inside);
}

static void undeferred_members_exclude_the_others(void) {
  int value = 0;
  int inside = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; i++) {
#pragma omp task depend(mutexinoutset : value) shared(value, inside)
    enter_alone(&inside, &value);
#pragma omp task depend(mutexinoutset : value) shared(value, inside)
    enter_alone(&inside, &value);
#pragma omp task if (0) depend(mutexinoutset : value) shared(value, inside)
    enter_alone(&inside, &value);
  }
  CHECK_EQUAL(value, 300);
}

static void undeferred_members_with_an_event_exclude_the_others(void) {
  int value = 0;
  int inside = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; i++) {
    omp_event_handle_t event;
#pragma omp task depend(mutexinoutset : value) shared(value, inside)
    enter_alone(&inside, &value);
#pragma omp task if (0) detach(event) depend(mutexinoutset : value) shared(value, inside)
    {
      enter_alone(&inside, &value);
      omp_fulfill_event(event);
    }
  }
  CHECK_EQUAL(value, 200);
}

static void targets_exclude_the_members(void) {
  int value = 0;
  int inside = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; i++) {
#pragma omp task depend(mutexinoutset : value) shared(value, inside)
    enter_alone(&inside, &value);
#pragma omp target map(tofrom : value, inside) depend(mutexinoutset : value)
    enter_alone(&inside, &value);
  }
  CHECK_EQUAL(value, 200);
}

static void targets_left_for_later_exclude_the_members(void) {
  int value = 0;
  int inside = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; i++) {
#pragma omp task depend(mutexinoutset : value) shared(value, inside)
    enter_alone(&inside, &value);
#pragma omp target nowait map(tofrom : value, inside) depend(mutexinoutset : value)
    enter_alone(&inside, &value);
  }
  CHECK_EQUAL(value, 100);
}

// The children of a final task are included in it: it is its own creator that they wait for.
static void included_members_run_one_after_the_other(void) {
  int value = 0;
  int inside = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
#pragma omp task final(1) shared(value, inside) depend(mutexinoutset : value)
    for (int j = 0; j < 3; j++) {
#pragma omp task depend(mutexinoutset : value) shared(value, inside)
      enter_alone(&inside, &value);
    }
#pragma omp task depend(mutexinoutset : value) shared(value, inside)
    enter_alone(&inside, &value);
  }
  CHECK_EQUAL(value, 80);
}

CASES(CASE(members_exclude_each_other), CASE(the_set_is_after_out_and_before_in),
      CASE(the_set_waits_for_readers), CASE(two_items_are_both_held),
      CASE(sets_go_with_other_dependences), CASE(a_set_of_one),
      CASE(a_member_may_wait_for_its_children), CASE(undeferred_members_exclude_the_others),
      CASE(undeferred_members_with_an_event_exclude_the_others), CASE(targets_exclude_the_members),
      CASE(targets_left_for_later_exclude_the_members),
      CASE(included_members_run_one_after_the_other))
