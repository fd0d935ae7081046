// Regions, and constructs outside of any region's text, of one side of a program that two compilers
// have built: the program itself includes this, and its library.
#ifndef LARES_CONFORMANCE_ORPHANS_H
#define LARES_CONFORMANCE_ORPHANS_H

#include "../../check.h"

/// What the constructs did. Atomically counted.
struct orphans_done {
  int singles;
  int iterations;
  int sections;
  int copied;
  int tasks;
  int wrong;
};

static void orphans_tasks(struct orphans_done* done) {
  int a = 0;
  int b = 0;
  int sum = 0;
#pragma omp task shared(a) depend(out : a)
  a = 1;
#pragma omp task shared(a, b) depend(in : a) depend(out : b)
  b = a + 1;
#pragma omp taskwait
  if (b != 2) bump(&done->wrong);
#pragma omp taskgroup task_reduction(+ : sum)
  {
    for (int i = 0; i < 4; i++) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
      {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
        sum += i;
        bump(&done->tasks);
      }
    }
  }
  if (sum != 6) bump(&done->wrong);
#pragma omp taskloop grainsize(2) shared(done)
  for (int i = 0; i < 6; i++) bump(&done->tasks);
}

static void orphans_constructs(struct orphans_done* done) {
  int told = 0;
#pragma omp single
  bump(&done->singles);
#pragma omp for schedule(dynamic, 2)
  for (int i = 0; i < 10; i++) bump(&done->iterations);
#pragma omp sections
  {
#pragma omp section
    bump(&done->sections);
#pragma omp section
    bump(&done->sections);
  }
#pragma omp barrier
#pragma omp single copyprivate(told)
  told = 7;
  if (told == 7) bump(&done->copied);
  orphans_tasks(done);
#pragma omp for schedule(static)
  for (int i = 0; i < 10; i++) bump(&done->iterations);
}

static void orphans_single(struct orphans_done* done) {
#pragma omp single nowait
  bump(&done->singles);
}

/// All threads of a region call `body`. Returns their number.
static int orphans_region(void (*body)(struct orphans_done*), struct orphans_done* done,
                          int rounds) {
  int threads = 0;
#pragma omp parallel
  {
    bump(&threads);
    for (int i = 0; i < rounds; i++) body(done);
  }
  return threads;
}

/// One thread of a region calls it, while the others go on to where they wait for it.
static void orphans_alone(void (*body)(struct orphans_done*), struct orphans_done* done,
                          int rounds) {
  int after = 0;
#pragma omp parallel
  {
#pragma omp master
    for (int i = 0; i < rounds; i++) body(done);
#pragma omp barrier
#pragma omp single
    for (int i = 0; i < 20; i++) {
#pragma omp task shared(after)
      bump(&after);
    }
    if (value_of(&after) != 20) bump(&done->wrong);
  }
}

/// Tasks of a region call it.
static void orphans_in_tasks(void (*body)(struct orphans_done*), struct orphans_done* done,
                             int rounds) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < rounds; i++) {
#pragma omp task
    body(done);
  }
}

struct orphans_side {
  void (*constructs)(struct orphans_done*);
  void (*single)(struct orphans_done*);
  int (*region)(void (*)(struct orphans_done*), struct orphans_done*, int);
  void (*alone)(void (*)(struct orphans_done*), struct orphans_done*, int);
  void (*in_tasks)(void (*)(struct orphans_done*), struct orphans_done*, int);
};

#define ORPHANS_SIDE \
  {orphans_constructs, orphans_single, orphans_region, orphans_alone, orphans_in_tasks}

#endif
