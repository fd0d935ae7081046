// Blocks that are allocated one by one and given to tasks as arguments, all by one thread. Nothing
// else names data. Tasks that run anywhere initialise the blocks, which share their first and last
// pages with their neighbours on the heap.
#include <stdlib.h>

#include "shapes.h"

static double **xs, **ys;
static long n, grain, blocks;

static long length(long k) { return at_most(grain, n - k * grain); }

static double start_of(long i) { return (double)(i % 8); }

static void fill(double* x, double* y, long first, long count) {
  for (long i = 0; i < count; ++i) {
    x[i] = start_of(first + i);
    y[i] = 0;
  }
}

static void add(const double* x, double* y, long count) {
  for (long i = 0; i < count; ++i) y[i] += x[i];
}

static void step(double* x, long count) {
  for (long i = 0; i < count; ++i) x[i] += 1;
}

static void start(Sizes sizes) {
  n = sizes.n;
  grain = sizes.grain;
  blocks = pieces(n, grain);
  xs = allocate((size_t)blocks * sizeof *xs);
  ys = allocate((size_t)blocks * sizeof *ys);
#pragma omp parallel
#pragma omp single
  for (long k = 0; k < blocks; ++k) {
    const long count = length(k);
    double* x = xs[k] = allocate((size_t)count * sizeof(double));
    double* y = ys[k] = allocate((size_t)count * sizeof(double));
#pragma omp task firstprivate(x, y, k, count)
    fill(x, y, k * grain, count);
  }
}

static void sweep(int first, int end) {
#pragma omp parallel
#pragma omp single
  for (int s = first; s < end; ++s) {
    for (long k = 0; k < blocks; ++k) {
      double *x = xs[k], *y = ys[k];
      const long count = length(k);
#pragma omp task firstprivate(x, y, count)
      add(x, y, count);
    }
#pragma omp taskwait
    for (long k = 0; k < blocks; ++k) {
      double* x = xs[k];
      const long count = length(k);
#pragma omp task firstprivate(x, count)
      step(x, count);
    }
#pragma omp taskwait
  }
}

static long wrong(int sweeps) {
  const double more = 0.5 * sweeps * (sweeps - 1.0);
  long count = 0;
  for (long i = 0; i < n; ++i) {
    const double x = start_of(i);
    count += xs[i / grain][i % grain] != x + sweeps;
    count += ys[i / grain][i % grain] != sweeps * x + more;
  }
  return count;
}

static void finish(void) {
  for (long k = 0; k < blocks; ++k) {
    free(xs[k]);
    free(ys[k]);
  }
  free(xs);
  free(ys);
}

const Shape shape_pointers = {"pointers", {1000000, 4096}, 0, start, sweep, wrong, finish};
