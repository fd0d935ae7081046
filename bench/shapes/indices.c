// STREAM with tasks: one thread makes them, each knows the number of its piece, and nothing names
// data. A static loop initialises the vectors.
#include <stdlib.h>

#include "shapes.h"

static double *a, *b, *c;
static long n, grain;
static const double scalar = 0.5;

static double start_of(long i) { return (double)(i % 8 + 1); }

static void start(Sizes sizes) {
  n = sizes.n;
  grain = sizes.grain;
  const size_t bytes = (size_t)n * sizeof(double);
  a = allocate(bytes);
  b = allocate(bytes);
  c = allocate(bytes);
#pragma omp parallel for schedule(static)
  for (long i = 0; i < n; ++i) {
    a[i] = start_of(i);
    b[i] = 2;
    c[i] = 0;
  }
}

static void copy_all(void) {
#pragma omp taskgroup
  for (long k = 0; k < pieces(n, grain); ++k) {
#pragma omp task firstprivate(k)
    for (long i = k * grain; i < at_most((k + 1) * grain, n); ++i) c[i] = a[i];
  }
}

static void scale_all(void) {
#pragma omp taskgroup
  for (long k = 0; k < pieces(n, grain); ++k) {
#pragma omp task firstprivate(k)
    for (long i = k * grain; i < at_most((k + 1) * grain, n); ++i) b[i] = scalar * c[i];
  }
}

static void add_all(void) {
#pragma omp taskgroup
  for (long k = 0; k < pieces(n, grain); ++k) {
#pragma omp task firstprivate(k)
    for (long i = k * grain; i < at_most((k + 1) * grain, n); ++i) c[i] = a[i] + b[i];
  }
}

static void triad_all(void) {
#pragma omp taskgroup
  for (long k = 0; k < pieces(n, grain); ++k) {
#pragma omp task firstprivate(k)
    for (long i = k * grain; i < at_most((k + 1) * grain, n); ++i) a[i] = b[i] + scalar * c[i];
  }
}

static void sweep(int first, int end) {
#pragma omp parallel
#pragma omp master
  for (int s = first; s < end; ++s) {
    copy_all();
    scale_all();
    add_all();
    triad_all();
  }
}

static long wrong(int sweeps) {
  long count = 0;
  for (long first = 0; first < at_most(8, n); ++first) {
    double x = start_of(first), y = 2, z = 0;
    for (int s = 0; s < sweeps; ++s) {
      y = scalar * x;
      z = x + y;
      x = y + scalar * z;
    }
    for (long i = first; i < n; i += 8) count += a[i] != x || b[i] != y || c[i] != z;
  }
  return count;
}

static void finish(void) {
  free(a);
  free(b);
  free(c);
}

const Shape shape_indices = {"indices", {1000000, 8192}, 0, start, sweep, wrong, finish};
