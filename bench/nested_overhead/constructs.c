// The constructs, each with a delay in it, as EPCC's OpenMP microbenchmarks have them.
#include "nested_overhead.h"

#include <omp.h>
#include <stddef.h>

void run_reference(const Counts* c, long reps) {
  for (long r = 0; r < reps; ++r) {
    delay();
    count_one(c, 0);
  }
}

static void work(const Counts* c) {
  delay();
  count_one(c, omp_get_thread_num());
}

static void run_parallel(const Counts* c, long reps) {
  for (long r = 0; r < reps; ++r) {
#pragma omp parallel num_threads(c->inner)
    work(c);
  }
}

static void run_parallel_for(const Counts* c, long reps) {
  for (long r = 0; r < reps; ++r) {
#pragma omp parallel for num_threads(c->inner) schedule(static, 1)
    for (int i = 0; i < c->inner; ++i) work(c);
  }
}

static void run_for(const Counts* c, long reps) {
#pragma omp parallel num_threads(c->inner)
  for (long r = 0; r < reps; ++r) {
#pragma omp for schedule(static, 1)
    for (int i = 0; i < c->inner; ++i) work(c);
  }
}

static void run_barrier(const Counts* c, long reps) {
#pragma omp parallel num_threads(c->inner)
  for (long r = 0; r < reps; ++r) {
    work(c);
#pragma omp barrier
  }
}

static void run_single(const Counts* c, long reps) {
#pragma omp parallel num_threads(c->inner)
  for (long r = 0; r < reps; ++r) {
#pragma omp single
    work(c);
  }
}

// Counts by the reduction itself, so that a lost part shows.
static void run_reduction(const Counts* c, long reps) {
  for (long r = 0; r < reps; ++r) {
    long sum = 0;
#pragma omp parallel num_threads(c->inner) reduction(+ : sum)
    {
      delay();
      sum += 1;
    }
    c->counts[0] += sum;
  }
}

const Construct constructs[] = {
    {"parallel", run_parallel, 0}, {"parallel-for", run_parallel_for, 0},
    {"for", run_for, 0},           {"barrier", run_barrier, 0},
    {"single", run_single, 1},     {"reduction", run_reduction, 0},
};
const int construct_count = (int)(sizeof constructs / sizeof *constructs);
