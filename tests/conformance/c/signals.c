// Signals that interrupt threads while they run tasks or wait for them.
#include <signal.h>
#include <sys/time.h>

#include "check.h"

static volatile sig_atomic_t ticks;

static void on_tick(int number) {
  (void)number;
  ticks = ticks + 1;
}

static void set_timer(int microseconds) {
  struct itimerval timer = {{0, microseconds}, {0, microseconds}};
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_tick;
  CHECK_EQUAL(sigaction(SIGALRM, &action, NULL), 0);
  CHECK_EQUAL(setitimer(ITIMER_REAL, &timer, NULL), 0);
}

static void a_timer_ticks_while_tasks_run(void) {
  int done = 0;
  int rounds = 0;
  set_timer(500);
  while (ticks < 20 && rounds < 100000) {
    rounds++;
    int value = 0;
#pragma omp parallel shared(value)
    {
#pragma omp single
      for (int i = 0; i < 20; i++) {
#pragma omp task depend(inout : value) shared(value)
        {
          linger(2);
          value++;
        }
      }
#pragma omp barrier
      CHECK_EQUAL(value, 20);
#pragma omp task shared(done)
      bump(&done);
    }
  }
  set_timer(0);
  CHECK(ticks >= 20);
  CHECK(done >= rounds);
}

static void taskwaits_are_interrupted(void) {
  ticks = 0;
  set_timer(500);
#pragma omp parallel
#pragma omp single
  while (ticks < 20) {
    int done = 0;
    for (int i = 0; i < 10; i++) {
#pragma omp task shared(done)
      {
        linger(2);
        bump(&done);
      }
    }
#pragma omp taskwait
    CHECK_EQUAL(value_of(&done), 10);
  }
  set_timer(0);
}

CASES(CASE(a_timer_ticks_while_tasks_run), CASE(taskwaits_are_interrupted))
