// detach inside of final tasks: those that run at once end with their events, too, and what depends
// on them waits for that.
#include <pthread.h>

#include "check.h"

struct promise {
  omp_event_handle_t event;
  int kept;
};

static void* keep_promise(void* argument) {
  struct promise* promise = (struct promise*)argument;
  linger(20);
  set_value(&promise->kept, 1);
  omp_fulfill_event(promise->event);
  return NULL;
}

// A task that ends with what another thread does.
static void promise_to_write(struct promise* promise, char* data, pthread_t* thread) {
  omp_event_handle_t event = 0;
#pragma omp task depend(out : *data) detach(event)
  {
    promise->event = event;
    CHECK_EQUAL(pthread_create(thread, NULL, keep_promise, promise), 0);
  }
}

enum wait { by_task, by_undeferred_task, by_taskwait };

static void look(enum wait how) {
  for (int i = 0; i < 5; i++) {
#pragma omp parallel
#pragma omp single
#pragma omp task final(1)
    {
      struct promise promise = {0};
      pthread_t thread;
      char data = 0;
      promise_to_write(&promise, &data, &thread);
      if (how == by_task) {
#pragma omp task depend(in : data) shared(promise)
        CHECK_EQUAL(value_of(&promise.kept), 1);
      } else if (how == by_undeferred_task) {
#pragma omp task depend(inout : data) if (0) shared(promise)
        CHECK_EQUAL(value_of(&promise.kept), 1);
      } else {
#pragma omp taskwait depend(in : data)
        CHECK_EQUAL(value_of(&promise.kept), 1);
      }
#pragma omp taskwait
      CHECK_EQUAL(value_of(&promise.kept), 1);
      pthread_join(thread, NULL);
    }
  }
}

static void a_task_waits_for_the_event(void) { look(by_task); }
static void an_undeferred_task_waits_for_the_event(void) { look(by_undeferred_task); }
static void a_taskwait_waits_for_the_event(void) { look(by_taskwait); }

CASES(CASE(a_task_waits_for_the_event), CASE(an_undeferred_task_waits_for_the_event),
      CASE(a_taskwait_waits_for_the_event))
