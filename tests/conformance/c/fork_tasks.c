// The child of a fork has one thread, whatever the others were doing at that moment: it can run
// tasks, of a region that it was born in and of its own. What the compilers' own runtimes cannot do
// in a child, regions of several threads and team barriers, is not asked for.
// conformance: stock-fails clang while_another_thread_makes_tasks: libomp's own locks stay taken
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

// A child that hangs is ended by its alarm.
static int status_of(pid_t child) {
  int status = 0;
  CHECK_EQUAL(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static int run_tasks(int many) {
  int done = 0;
  for (int i = 0; i < many; i++) {
#pragma omp task shared(done)
    bump(&done);
  }
#pragma omp taskwait
#pragma omp taskgroup
  for (int i = 0; i < many; i++) {
#pragma omp task shared(done)
    bump(&done);
  }
  int chain = 0;
  for (int i = 0; i < many; i++) {
#pragma omp task shared(chain) depend(inout : chain)
    chain++;
  }
#pragma omp taskwait
  return done + chain;
}

static void inside_of_a_region(void) {
  int status = -1;
#pragma omp parallel shared(status)
#pragma omp single
  {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      _exit(run_tasks(50) == 150 ? 0 : 1);
    }
    status = status_of(child);
  }
  CHECK_EQUAL(status, 0);
}

static void inside_of_a_task(void) {
  int wrong = 0;
#pragma omp parallel shared(wrong)
#pragma omp single
  for (int i = 0; i < 20; i++) {
#pragma omp task shared(wrong)
    {
      const pid_t child = fork();
      if (child == 0) {
        alarm(20);
        _exit(run_tasks(50) == 150 ? 0 : 1);
      }
      if (status_of(child) != 0) bump(&wrong);
    }
  }
  CHECK_EQUAL(wrong, 0);
}

static atomic_int stop;

static int exclude(void) {
  int one = 0, two = 0;
#pragma omp parallel num_threads(1) shared(one, two)
#pragma omp single
  for (int i = 0; i < 100; i++) {
#pragma omp task shared(one, two) depend(mutexinoutset : one, two)
    one++;
  }
  return one;
}

static void* keep_excluding(void* unused) {
  while (!atomic_load(&stop)) CHECK_EQUAL(exclude(), 100);
  return unused;
}

// Another thread is in the middle of what the whole process shares.
static void while_another_thread_makes_tasks(void) {
  pthread_t other;
  CHECK_EQUAL(pthread_create(&other, NULL, keep_excluding, NULL), 0);
  int wrong = 0;
  for (int i = 0; i < 500 && wrong == 0; i++) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      _exit(exclude() == 100 ? 0 : 1);
    }
    if (status_of(child) != 0) wrong++;
  }
  atomic_store(&stop, 1);
  pthread_join(other, NULL);
  CHECK_EQUAL(wrong, 0);
}

CASES(CASE(inside_of_a_region), CASE(inside_of_a_task), CASE(while_another_thread_makes_tasks))
