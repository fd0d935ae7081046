// Undeferred tasks with dependences, taskwait with dependences, and whose siblings they mean.
#include "check.h"

static void an_undeferred_task_waits_for_its_predecessors(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 30; i++) {
    int value = 0;
#pragma omp task depend(out : value) shared(value)
    {
      linger(5);
      value = 1;
    }
#pragma omp task if (0) depend(in : value) shared(value)
    CHECK_EQUAL(value, 1);
    CHECK_EQUAL(value, 1);
  }
}

static void an_undeferred_task_comes_before_its_successors(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 30; i++) {
#pragma omp task depend(inout : value) shared(value) firstprivate(i)
    {
      CHECK_EQUAL(value, 2 * i);
      value++;
    }
#pragma omp task if (0) depend(inout : value) shared(value)
    value++;
  }
  CHECK_EQUAL(value, 60);
}

static void an_undeferred_chain_of_many_items(void) {
  int cells[8] = {0};
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 10; round++) {
    for (int i = 0; i < 8; i++) {
#pragma omp task depend(inout : cells[i]) shared(cells) firstprivate(i)
      cells[i]++;
    }
#pragma omp task if (0) depend(in : cells[0], cells[1], cells[2], cells[3]) \
    depend(inout : cells[7]) shared(cells) firstprivate(round)
    {
      CHECK_EQUAL(cells[0] + cells[3] + cells[7], 3 * (round + 1));
    }
  }
}

static void taskwait_with_a_dependence_waits_for_it(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 30; i++) {
    int value = 0;
#pragma omp task depend(out : value) shared(value)
    {
      linger(5);
      value = 1;
    }
#pragma omp taskwait depend(in : value)
    CHECK_EQUAL(value, 1);
  }
}

static void taskwait_for_writing_waits_for_readers(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
    int value = 7;
    int readers = 0;
    for (int j = 0; j < 5; j++) {
#pragma omp task depend(in : value) shared(value, readers)
      {
        linger(1);
        CHECK_EQUAL(value, 7);
        bump(&readers);
      }
    }
#pragma omp taskwait depend(out : value)
    CHECK_EQUAL(value_of(&readers), 5);
    value = 0;
#pragma omp taskwait
  }
}

static void taskwait_for_several_items(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
    int cells[6] = {0};
    for (int j = 0; j < 6; j++) {
#pragma omp task depend(out : cells[j]) shared(cells) firstprivate(j)
      cells[j] = 1;
    }
#pragma omp taskwait depend(in : cells[0], cells[2]) depend(inout : cells[4])
    CHECK_EQUAL(cells[0] + cells[2] + cells[4], 3);
#pragma omp taskwait
    CHECK_EQUAL(cells[1] + cells[3] + cells[5], 3);
  }
}

static void taskwait_on_something_that_nobody_uses(void) {
  int unused = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
#pragma omp taskwait depend(in : unused)
  }
  CHECK_EQUAL(unused, 0);
}

static void a_child_does_not_depend_on_its_parent(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
#pragma omp task depend(inout : value) shared(value)
    {
#pragma omp task depend(inout : value) shared(value)
      value++;
#pragma omp taskwait
      value++;
    }
  }
  CHECK_EQUAL(value, 40);
}

static int levels_of_inout(int depth, int* value) {
  if (depth == 0) return 0;
#pragma omp task depend(inout : *value) firstprivate(depth, value)
  {
    (*value)++;
    levels_of_inout(depth - 1, value);
#pragma omp taskwait
  }
#pragma omp taskwait
  return *value;
}

static void ten_levels_name_the_same_item(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  CHECK_EQUAL(levels_of_inout(10, &value), 10);
}

static void parents_order_their_own_children(void) {
  enum { parents = 8, children = 20 };
  int cells[parents] = {0};
  int shared_name = 0;
#pragma omp parallel
#pragma omp single
  for (int p = 0; p < parents; p++) {
#pragma omp task shared(cells, shared_name) firstprivate(p)
    for (int c = 0; c < children; c++) {
#pragma omp task depend(inout : shared_name) shared(cells) firstprivate(p, c)
      {
        CHECK_EQUAL(cells[p], c);
        cells[p]++;
      }
    }
  }
  for (int p = 0; p < parents; p++) CHECK_EQUAL(cells[p], children);
}

static void implicit_tasks_order_their_own_children(void) {
  enum { children = 50 };
  int cells[64] = {0};
  int shared_name = 0;
#pragma omp parallel
  {
    int me = omp_get_thread_num();
    for (int c = 0; c < children; c++) {
#pragma omp task depend(inout : shared_name) shared(cells) firstprivate(me, c)
      {
        CHECK_EQUAL(cells[me], c);
        cells[me]++;
      }
    }
#pragma omp taskwait
    CHECK_EQUAL(cells[me], children);
  }
}

static void taskwait_with_a_dependence_does_not_wait_for_others(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; i++) {
    int value = 0;
    omp_event_handle_t event;
#pragma omp task detach(event)
    linger(1);
#pragma omp task depend(out : value) shared(value)
    value = 1;
    // The detached task completes only after this wait: waiting for it too would never end.
#pragma omp taskwait depend(in : value)
    CHECK_EQUAL(value, 1);
    omp_fulfill_event(event);
#pragma omp taskwait
  }
}

CASES(CASE(an_undeferred_task_waits_for_its_predecessors),
      CASE(an_undeferred_task_comes_before_its_successors), CASE(an_undeferred_chain_of_many_items),
      CASE(taskwait_with_a_dependence_waits_for_it), CASE(taskwait_for_writing_waits_for_readers),
      CASE(taskwait_for_several_items), CASE(taskwait_on_something_that_nobody_uses),
      CASE(a_child_does_not_depend_on_its_parent), CASE(ten_levels_name_the_same_item),
      CASE(parents_order_their_own_children), CASE(implicit_tasks_order_their_own_children),
      CASE(taskwait_with_a_dependence_does_not_wait_for_others))
