// Threads that share work out by their numbers, and how much by whom: of MIB of doubles, x = x / 2
// + 1 in each sweep but the first, one thread has nine tenths: of two threads that on the later
// processor. All data lies on the one node that there is; so on a machine that is said to have two,
// of a processor each, that thread had better run on the first.
//
// by_data SHAPE [MIB [SWEEPS]]
//   regions   a parallel region for each sweep
//   inside    one region, a barrier behind each sweep
//   tasks     a region for each sweep, whose threads make tasks of their shares
//   pinned    as regions, but each thread has chosen its processor itself
// Prints "before: CPU of the thread with most, of the other" and "after: ...", and whether all
// numbers are right.
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_threads = 64 };
static double* array;
static size_t count;
static int cpus[most_threads];
static int busy = -1;  // the thread with most; none yet

static void pin(int thread) {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  CPU_SET(thread % 2, &mine);
  if (sched_setaffinity(0, sizeof mine, &mine) != 0) exit(3);
}

static void update(size_t from, size_t until) {
  for (size_t i = from; i < until; ++i) array[i] = array[i] / 2 + 1;
}

// Of a thread's share. The busy one's is the last.
static size_t first_of(int turn, int threads) {
  if (turn == threads) return count;
  const size_t shared = busy < 0 ? count : count / 10;
  return shared * (size_t)turn / (size_t)(busy < 0 ? threads : threads - 1);
}

static void share(int with_tasks) {
  const int thread = omp_get_thread_num();
  const int threads = omp_get_num_threads();
  const int turn = busy < 0 ? thread : (thread + threads - 1 - busy) % threads;
  const size_t from = first_of(turn, threads);
  const size_t until = first_of(turn + 1, threads);
  if (with_tasks) {
#pragma omp task firstprivate(from, until)
    update(from, until);
  } else {
    update(from, until);
  }
  cpus[thread] = sched_getcpu();
}

static void tell(const char* when) {
  printf("%s: %d %d\n", when, cpus[busy], cpus[busy == 0 ? 1 : 0]);
}

static void end_first_sweep(void) {
  busy = cpus[1] > cpus[0] ? 1 : 0;
  tell("before");
}

static void sweep_inside(int sweeps) {
#pragma omp parallel
  for (int s = 0; s < sweeps; ++s) {
    share(0);
#pragma omp barrier
#pragma omp master
    if (s == 0) end_first_sweep();
#pragma omp barrier
  }
}

static void sweep_in_regions(int sweeps, int with_tasks, int pinned) {
  for (int s = 0; s < sweeps; ++s) {
#pragma omp parallel
    {
      if (pinned) pin(omp_get_thread_num());
      share(with_tasks);
    }
    if (s == 0) end_first_sweep();
  }
}

int main(int argc, char** argv) {
  const char* const shape = argc > 1 ? argv[1] : "regions";
  count = (argc > 2 ? strtoul(argv[2], NULL, 10) : 8) * 1024 * 1024 / sizeof(double);
  const int sweeps = argc > 3 ? atoi(argv[3]) : 40;
  array = malloc(count * sizeof *array);
  if (array == NULL || omp_get_max_threads() < 2 || omp_get_max_threads() > most_threads) return 3;
  for (size_t i = 0; i < count; ++i) array[i] = (double)(i % 1000);
  if (strcmp(shape, "inside") == 0) {
    sweep_inside(sweeps);
  } else {
    sweep_in_regions(sweeps, strcmp(shape, "tasks") == 0, strcmp(shape, "pinned") == 0);
  }
  tell("after");
  for (size_t i = 0; i < count; ++i) {
    double x = (double)(i % 1000);
    for (int s = 0; s < sweeps; ++s) x = x / 2 + 1;
    if (array[i] != x) {
      printf("result=wrong\n");
      return 1;
    }
  }
  printf("result=ok\n");
  return 0;
}
