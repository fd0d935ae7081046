// A stencil in blocks, ordered by an array of flags: `depend` names bytes that nobody reads or
// writes. Tasks that run anywhere initialise the first grid; the second one's memory comes with the
// first sweep.
#include <stdlib.h>

#include "grid.h"
#include "shapes.h"

static double* grids[2];
static char* flags[2];
static long n, grain, across;

static Part block(long i, long j) {
  return (Part){i * grain, at_most((i + 1) * grain, n), j * grain, at_most((j + 1) * grain, n)};
}

static void start(Sizes sizes) {
  n = sizes.n;
  grain = sizes.grain;
  across = pieces(n, grain);
  for (int k = 0; k < 2; ++k) {
    grids[k] = allocate((size_t)n * (size_t)n * sizeof(double));
    flags[k] = allocate((size_t)across * (size_t)across);
  }
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < across; ++i) {
    for (long j = 0; j < across; ++j) {
#pragma omp task firstprivate(i, j)
      grid_start(grids[0], n, block(i, j));
    }
  }
}

static void sweep(int first, int end) {
#pragma omp parallel
#pragma omp single
  for (int s = first; s < end; ++s) {
    const double* from = grids[s % 2];
    double* to = grids[(s + 1) % 2];
    const char* old = flags[s % 2];
    char* new = flags[(s + 1) % 2];
    for (long i = 0; i < across; ++i) {
      for (long j = 0; j < across; ++j) {
        const long here = i * across + j;
        const long up = i > 0 ? here - across : here;
        const long down = i + 1 < across ? here + across : here;
        const long left = j > 0 ? here - 1 : here;
        const long right = j + 1 < across ? here + 1 : here;
        (void)old, (void)new, (void)up, (void)down, (void)left, (void)right;
#pragma omp task firstprivate(i, j, from, to) depend(in : old[here], old[up], old[down]) \
    depend(in : old[left], old[right]) depend(out : new[here])
        grid_update(from, to, n, block(i, j));
      }
    }
  }
}

static long wrong(int sweeps) { return grid_wrong(grids[sweeps % 2], n, sweeps); }

static void finish(void) {
  for (int k = 0; k < 2; ++k) {
    free(grids[k]);
    free(flags[k]);
  }
}

const Shape shape_flags = {"flags", {2048, 256}, 1, start, sweep, wrong, finish};
