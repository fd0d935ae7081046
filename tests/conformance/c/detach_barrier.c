// detach: barriers, explicit or at the end of a region, wait for events too.
// conformance: stock-fails gcc a_barrier_waits_for_a_foreign_thread: libgomp 12 sleeps on in the barrier
// conformance: stock-fails gcc the_end_of_a_region_waits_for_a_foreign_thread: libgomp 12 sleeps on in the barrier
#include <pthread.h>

#include "check.h"

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

static void a_barrier_waits_for_the_event(void) {
  for (int i = 0; i < 20; i++) {
    int told = 0;
#pragma omp parallel shared(told)
    {
#pragma omp single nowait
      {
        omp_event_handle_t event;
#pragma omp task detach(event)
        linger(1);
#pragma omp task firstprivate(event) shared(told)
        {
          linger(5);
          set_value(&told, 1);
          omp_fulfill_event(event);
        }
      }
#pragma omp barrier
      CHECK_EQUAL(value_of(&told), 1);
    }
  }
}

static void the_end_of_a_region_waits_for_the_event(void) {
  for (int i = 0; i < 20; i++) {
    int told = 0;
#pragma omp parallel shared(told)
#pragma omp single nowait
    {
      omp_event_handle_t event;
#pragma omp task detach(event)
      linger(1);
#pragma omp task firstprivate(event) shared(told)
      {
        linger(5);
        set_value(&told, 1);
        omp_fulfill_event(event);
      }
    }
    CHECK_EQUAL(value_of(&told), 1);
  }
}

static void successors_run_in_the_barrier(void) {
  int value = 0;
  for (int i = 0; i < 20; i++) {
#pragma omp parallel shared(value)
#pragma omp single nowait
    {
      omp_event_handle_t event;
#pragma omp task detach(event) depend(out : value) shared(value)
      value = 1;
#pragma omp task depend(inout : value) shared(value)
      value++;
#pragma omp task firstprivate(event)
      {
        linger(5);
        omp_fulfill_event(event);
      }
    }
    CHECK_EQUAL(value, 2);
  }
}

static void a_barrier_waits_for_a_foreign_thread(void) {
  for (int i = 0; i < 10; i++) {
    struct promise promise = {0};
    pthread_t thread;
#pragma omp parallel shared(promise, thread)
    {
#pragma omp single
      {
        omp_event_handle_t event;
#pragma omp task detach(event)
        linger(1);
        promise.event = event;
        CHECK_EQUAL(pthread_create(&thread, NULL, keep_promise, &promise), 0);
      }
      CHECK_EQUAL(value_of(&promise.kept), 1);
    }
    pthread_join(thread, NULL);
  }
}

static void the_end_of_a_region_waits_for_a_foreign_thread(void) {
  for (int i = 0; i < 10; i++) {
    struct promise promise = {0};
    pthread_t thread;
#pragma omp parallel shared(promise, thread)
#pragma omp single nowait
    {
      omp_event_handle_t event;
#pragma omp task detach(event)
      linger(1);
      promise.event = event;
      CHECK_EQUAL(pthread_create(&thread, NULL, keep_promise, &promise), 0);
    }
    CHECK_EQUAL(value_of(&promise.kept), 1);
    pthread_join(thread, NULL);
  }
}

CASES(CASE(a_barrier_waits_for_the_event), CASE(the_end_of_a_region_waits_for_the_event),
      CASE(successors_run_in_the_barrier), CASE(a_barrier_waits_for_a_foreign_thread),
      CASE(the_end_of_a_region_waits_for_a_foreign_thread))
