// A stencil without tasks: each thread takes a share of the rows by its number, and a barrier ends
// the sweep. The first thread has written all data before the others exist.
#include <omp.h>
#include <stdlib.h>

#include "grid.h"
#include "shapes.h"

static double* grids[2];
static long n;

static void start(Sizes sizes) {
  n = sizes.n;
  for (int k = 0; k < 2; ++k) {
    grids[k] = allocate((size_t)n * (size_t)n * sizeof(double));
    grid_start(grids[k], n, (Part){0, n, 0, n});
  }
}

static void sweep(int first, int end) {
#pragma omp parallel
  {
    const long me = omp_get_thread_num(), threads = omp_get_num_threads();
    const Part share = {n * me / threads, n * (me + 1) / threads, 0, n};
    for (int s = first; s < end; ++s) {
      grid_update(grids[s % 2], grids[(s + 1) % 2], n, share);
#pragma omp barrier
    }
  }
}

static long wrong(int sweeps) { return grid_wrong(grids[sweeps % 2], n, sweeps); }

static void finish(void) {
  free(grids[0]);
  free(grids[1]);
}

const Shape shape_numbers = {"numbers", {1024, 1}, 1, start, sweep, wrong, finish};
