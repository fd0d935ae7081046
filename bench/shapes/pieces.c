// A stencil in tiles of some kilobytes, inside of arrays from malloc: a tile's row has 2 KiB, so
// two tiles share each page, and three those in which the 16 bytes before the array show. `depend`
// names the first element of each tile. Tasks that run anywhere initialise the first grid; the
// second one's memory comes with the first sweep.
#include <stdlib.h>

#include "grid.h"
#include "shapes.h"

enum { columns = 256 };

static double* grids[2];
static long n, grain;

static Part tile(long i, long j) {
  return (Part){i, at_most(i + grain, n), j, at_most(j + columns, n)};
}

static void start(Sizes sizes) {
  n = sizes.n;
  grain = sizes.grain;
  for (int k = 0; k < 2; ++k) grids[k] = allocate((size_t)n * (size_t)n * sizeof(double));
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < n; i += grain) {
    for (long j = 0; j < n; j += columns) {
      double* first = &grids[0][i * n + j];
      (void)first;
#pragma omp task firstprivate(i, j) depend(out : *first)
      grid_start(grids[0], n, tile(i, j));
    }
  }
}

static void sweep(int first, int end) {
#pragma omp parallel
#pragma omp single
  for (int s = first; s < end; ++s) {
    const double* from = grids[s % 2];
    double* to = grids[(s + 1) % 2];
    for (long i = 0; i < n; i += grain) {
      for (long j = 0; j < n; j += columns) {
        const double* here = &from[i * n + j];
        const double* up = i > 0 ? here - grain * n : here;
        const double* down = i + grain < n ? here + grain * n : here;
        const double* left = j > 0 ? here - columns : here;
        const double* right = j + columns < n ? here + columns : here;
        (void)up, (void)down, (void)left, (void)right;
#pragma omp task firstprivate(i, j, from, to) depend(in : *here, *up, *down, *left, *right) \
    depend(out : to[i * n + j])
        grid_update(from, to, n, tile(i, j));
      }
    }
  }
}

static long wrong(int sweeps) { return grid_wrong(grids[sweeps % 2], n, sweeps); }

static void finish(void) {
  free(grids[0]);
  free(grids[1]);
}

const Shape shape_pieces = {"pieces", {1024, 16}, 1, start, sweep, wrong, finish};
