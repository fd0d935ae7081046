// A stencil by taskloops over rows, which name no data. A taskloop initialises both grids.
#include <stdlib.h>

#include "grid.h"
#include "shapes.h"

static double* grids[2];
static long n, grain;

static Part row(long i) { return (Part){i, i + 1, 0, n}; }

static void start(Sizes sizes) {
  n = sizes.n;
  grain = sizes.grain;
  for (int k = 0; k < 2; ++k) grids[k] = allocate((size_t)n * (size_t)n * sizeof(double));
#pragma omp parallel
#pragma omp master
#pragma omp taskloop grainsize(grain)
  for (long i = 0; i < n; ++i) {
    grid_start(grids[0], n, row(i));
    grid_start(grids[1], n, row(i));
  }
}

static void sweep(int first, int end) {
#pragma omp parallel
#pragma omp master
  for (int s = first; s < end; ++s) {
    const double* from = grids[s % 2];
    double* to = grids[(s + 1) % 2];
#pragma omp taskloop shared(from, to) grainsize(grain)
    for (long i = 0; i < n; ++i) grid_update(from, to, n, row(i));
  }
}

static long wrong(int sweeps) { return grid_wrong(grids[sweeps % 2], n, sweeps); }

static void finish(void) {
  free(grids[0]);
  free(grids[1]);
}

const Shape shape_taskloop = {"taskloop", {1024, 16}, 1, start, sweep, wrong, finish};
