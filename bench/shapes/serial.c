// A stencil in strips of whole rows, which `depend` names in full. The first thread has written all
// data before the others exist.
#include <stdlib.h>

#include "grid.h"
#include "shapes.h"

static double* grids[2];
static long n, grain;

static Part strip(long top) { return (Part){top, at_most(top + grain, n), 0, n}; }

static void start(Sizes sizes) {
  n = sizes.n;
  grain = sizes.grain;
  for (int k = 0; k < 2; ++k) {
    grids[k] = allocate((size_t)n * (size_t)n * sizeof(double));
    grid_start(grids[k], n, (Part){0, n, 0, n});
  }
}

static void sweep(int first, int end) {
#pragma omp parallel
#pragma omp single
  for (int s = first; s < end; ++s) {
    const double* from = grids[s % 2];
    double* to = grids[(s + 1) % 2];
    for (long top = 0; top < n; top += grain) {
      const long length = n * (at_most(top + grain, n) - top);
      const long up = top > 0 ? top - grain : top;
      const long down = top + grain < n ? top + grain : top;
      const long below = n * (at_most(down + grain, n) - down);
      (void)length, (void)up, (void)down, (void)below;
#pragma omp task firstprivate(top, from, to) depend(out : to[top * n : length]) \
    depend(in : from[top * n : length], from[up * n : grain * n], from[down * n : below])
      grid_update(from, to, n, strip(top));
    }
  }
}

static long wrong(int sweeps) { return grid_wrong(grids[sweeps % 2], n, sweeps); }

static void finish(void) {
  free(grids[0]);
  free(grids[1]);
}

const Shape shape_serial = {"serial", {1024, 16}, 1, start, sweep, wrong, finish};
