// detach: a task whose end is told by an event, from whatever thread, before or after its body.
#include <pthread.h>

#include "check.h"

enum { count = 20 };

static void fulfilled_in_its_own_body(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < count; i++) {
      omp_event_handle_t event;
#pragma omp task detach(event) shared(done)
      {
        bump(&done);
        omp_fulfill_event(event);
      }
    }
#pragma omp taskwait
    CHECK_EQUAL(value_of(&done), count);
  }
}

static void fulfilled_by_the_creator(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < count; i++) {
    omp_event_handle_t event;
#pragma omp task detach(event) shared(done)
    bump(&done);
    omp_fulfill_event(event);
#pragma omp taskwait
    CHECK_EQUAL(value_of(&done), i + 1);
  }
}

static void fulfilled_by_another_task(void) {
  int order = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < count; i++) {
    omp_event_handle_t event;
    int told = 0;
#pragma omp task detach(event) shared(order)
    bump(&order);
#pragma omp task firstprivate(event) shared(told)
    {
      linger(2);
      set_value(&told, 1);
      omp_fulfill_event(event);
    }
#pragma omp taskwait
    CHECK_EQUAL(told, 1);
  }
  CHECK_EQUAL(order, count);
}

struct promise {
  omp_event_handle_t event;
  int kept;
};

static void* keep_promise(void* argument) {
  struct promise* promise = (struct promise*)argument;
  linger(100);
  set_value(&promise->kept, 1);
  omp_fulfill_event(promise->event);
  return NULL;
}

static void fulfilled_by_a_thread_that_is_not_openmps(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < count; i++) {
    struct promise promise = {0};
    pthread_t thread;
    omp_event_handle_t event;
#pragma omp task detach(event)
    linger(1);
    promise.event = event;
    CHECK_EQUAL(pthread_create(&thread, NULL, keep_promise, &promise), 0);
#pragma omp taskwait
    CHECK_EQUAL(value_of(&promise.kept), 1);
    pthread_join(thread, NULL);
  }
}

static void successors_wait_for_the_event(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < count; i++) {
    struct promise promise = {0};
    int value = 0;
    pthread_t thread;
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : value) shared(value)
    value = 1;
#pragma omp task depend(inout : value) shared(value, promise)
    {
      CHECK_EQUAL(value_of(&promise.kept), 1);
      CHECK_EQUAL(value, 1);
      value = 2;
    }
    promise.event = event;
    CHECK_EQUAL(pthread_create(&thread, NULL, keep_promise, &promise), 0);
#pragma omp taskwait
    CHECK_EQUAL(value, 2);
    pthread_join(thread, NULL);
  }
}

static void a_detached_task_waits_for_predecessors(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < count; i++) {
    int value = 0;
    omp_event_handle_t event;
#pragma omp task depend(out : value) shared(value)
    {
      linger(5);
      value = 1;
    }
#pragma omp task detach(event) depend(inout : value) shared(value)
    {
      CHECK_EQUAL(value, 1);
      value = 2;
      omp_fulfill_event(event);
    }
#pragma omp task depend(in : value) shared(value)
    CHECK_EQUAL(value, 2);
#pragma omp taskwait
  }
}

static void the_event_may_come_before_the_body(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < count; i++) {
    int value = 0;
    omp_event_handle_t event;
#pragma omp task depend(out : value) shared(value)
    {
      linger(20);
      value = 1;
    }
#pragma omp task detach(event) depend(inout : value) shared(value)
    {
      linger(5);
      value = 2;
    }
    omp_fulfill_event(event);
#pragma omp taskwait depend(in : value)
    CHECK_EQUAL(value, 2);
  }
}

static void a_taskgroup_waits_for_the_event(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; i++) {
    struct promise promise = {0};
    pthread_t thread;
#pragma omp taskgroup
    {
#pragma omp task shared(promise, thread)
      {
        omp_event_handle_t event;
#pragma omp task detach(event)
        linger(1);
        promise.event = event;
        CHECK_EQUAL(pthread_create(&thread, NULL, keep_promise, &promise), 0);
      }
    }
    CHECK_EQUAL(value_of(&promise.kept), 1);
    pthread_join(thread, NULL);
  }
}

static void taskwait_does_not_wait_for_a_grandchild(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; i++) {
    omp_event_handle_t grandchild;
#pragma omp task shared(grandchild)
    {
      omp_event_handle_t event;
#pragma omp task detach(event)
      linger(1);
      grandchild = event;
    }
    // The grandchild completes only after this wait: waiting for it too would never end.
#pragma omp taskwait
    omp_fulfill_event(grandchild);
  }
}

static void a_taskgroup_does_not_wait_for_earlier_tasks(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; i++) {
    int done = 0;
    omp_event_handle_t event;
#pragma omp task detach(event)
    linger(1);
#pragma omp taskgroup
    {
#pragma omp task shared(done)
      done = 1;
    }
    CHECK_EQUAL(done, 1);
    omp_fulfill_event(event);
#pragma omp taskwait
  }
}

static void children_of_a_detached_task_are_its_own(void) {
  int children = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < count; i++) {
    omp_event_handle_t event;
#pragma omp task detach(event) shared(children)
    {
      for (int j = 0; j < 3; j++) {
#pragma omp task shared(children)
        bump(&children);
      }
#pragma omp taskwait
      omp_fulfill_event(event);
    }
#pragma omp taskwait
    CHECK_EQUAL(value_of(&children) % 3, 0);
  }
  CHECK_EQUAL(children, 3 * count);
}

static void many_events_at_once(void) {
  enum { many = 32 };
  omp_event_handle_t events[many];
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 5; round++) {
    for (int i = 0; i < many; i++) {
      omp_event_handle_t event;
#pragma omp task detach(event) shared(done)
      bump(&done);
      events[i] = event;
    }
    for (int i = many - 1; i >= 0; i--) omp_fulfill_event(events[i]);
#pragma omp taskwait
    CHECK_EQUAL(value_of(&done), many * (round + 1));
  }
}

static void outside_a_parallel_region(void) {
  int done = 0;
  omp_event_handle_t event = (omp_event_handle_t)0;
#pragma omp task detach(event) shared(done)
  {
    done = 1;
    omp_fulfill_event(event);
  }
#pragma omp taskwait
  CHECK_EQUAL(done, 1);
}

static void in_a_team_of_one(void) {
#pragma omp parallel num_threads(1)
  {
    int done = 0;
    omp_event_handle_t event;
#pragma omp task detach(event) shared(done)
    done = 1;
    omp_fulfill_event(event);
#pragma omp taskwait
    CHECK_EQUAL(done, 1);
  }
}

CASES(CASE(fulfilled_in_its_own_body), CASE(fulfilled_by_the_creator),
      CASE(fulfilled_by_another_task), CASE(fulfilled_by_a_thread_that_is_not_openmps),
      CASE(successors_wait_for_the_event), CASE(a_detached_task_waits_for_predecessors),
      CASE(the_event_may_come_before_the_body), CASE(a_taskgroup_waits_for_the_event),
      CASE(taskwait_does_not_wait_for_a_grandchild),
      CASE(a_taskgroup_does_not_wait_for_earlier_tasks),
      CASE(children_of_a_detached_task_are_its_own), CASE(many_events_at_once),
      CASE(outside_a_parallel_region), CASE(in_a_team_of_one))
