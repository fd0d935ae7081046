// Tasks that all threads create alike and that take equally long wherever they run: who runs them
// is the queue's doing alone. For the shares of Schmidl 2016, Table 5.3.
//
//   central_queue ROUNDS TASKS MICROSECONDS
//
// In each round every thread creates TASKS tasks. They sleep: a guest's cpus take turns on a few of
// the host's, and who computed would run many tasks in a row. No thread runs one before all have
// been created, for the thesis leaves out the phase in which the queue is filled.
//
// Prints how many ran on their creator's thread, on another thread of its node, and elsewhere.
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
  atomic_long own, node, remote;
} Shares;

static unsigned own_node(void) {
  unsigned cpu = 0, node = 0;
  getcpu(&cpu, &node);
  return node;
}

static void run_one(Shares* shares, int creator, unsigned creators_node, useconds_t length) {
  if (omp_get_thread_num() == creator) {
    atomic_fetch_add(&shares->own, 1);
  } else if (own_node() == creators_node) {
    atomic_fetch_add(&shares->node, 1);
  } else {
    atomic_fetch_add(&shares->remote, 1);
  }
  usleep(length);
}

static void one_round(Shares* shares, long tasks, useconds_t length) {
  atomic_int ready = 0;
#pragma omp parallel
  {
    const int creator = omp_get_thread_num();
    const unsigned node = own_node();
    for (long i = 0; i < tasks; ++i) {
#pragma omp task firstprivate(shares, creator, node, length)
      run_one(shares, creator, node, length);
    }
    atomic_fetch_add(&ready, 1);
    while (atomic_load(&ready) < omp_get_num_threads()) usleep(100);
  }
}

int main(int argc, char** argv) {
  if (argc != 4) {
    fputs("Usage: central_queue ROUNDS TASKS MICROSECONDS\n", stderr);
    return 2;
  }
  Shares shares = {0};
  for (long round = atol(argv[1]); round > 0; --round) {
    one_round(&shares, atol(argv[2]), (useconds_t)atol(argv[3]));
  }
  printf("own=%ld node=%ld remote=%ld\n", shares.own, shares.node, shares.remote);
  return 0;
}
