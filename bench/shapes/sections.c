// A stencil in blocks that copies its result back before each sweep. `depend` names sections of a
// pointer to the whole matrix, as if it were a pointer to a row: the address of block (i, j) lies i
// whole matrices behind the first one. Tasks that run anywhere initialise two of the three grids;
// the third one's memory comes with the first sweep.
#include <stdlib.h>

#include "grid.h"
#include "shapes.h"

static double *current, *next, *added;
static long n, grain;

static Part block(long i, long j) {
  return (Part){i, at_most(i + grain, n), j, at_most(j + grain, n)};
}

static void start_block(Part part) {
  grid_start(next, n, part);
  for (long i = part.top; i < part.bottom; ++i) {
    for (long j = part.left; j < part.right; ++j) added[i * n + j] = 2;
  }
}

static void start(Sizes sizes) {
  n = sizes.n;
  grain = sizes.grain;
  const size_t bytes = (size_t)n * (size_t)n * sizeof(double);
  current = allocate(bytes);
  next = allocate(bytes);
  added = allocate(bytes);
#pragma omp parallel
#pragma omp master
  for (long j = 0; j < n; j += grain) {
    for (long i = 0; i < n; i += grain) {
#pragma omp task firstprivate(i, j)
      start_block(block(i, j));
    }
  }
}

static void copy(const double* from, double* to, Part part) {
  for (long i = part.top; i < part.bottom; ++i) {
    for (long j = part.left; j < part.right; ++j) to[i * n + j] = from[i * n + j];
  }
}

static void estimate(const double* from, double* to, const double* more, Part part) {
  grid_update(from, to, n, part);
  for (long i = part.top; i < part.bottom; ++i) {
    for (long j = part.left; j < part.right; ++j) to[i * n + j] += more[i * n + j];
  }
}

static void sweep(int first, int end) {
  double *u_ = current, *unew_ = next, *f_ = added;
  double(*u)[n][n] = (double(*)[n][n])u_;
  double(*unew)[n][n] = (double(*)[n][n])unew_;
  double(*f)[n][n] = (double(*)[n][n])f_;
  (void)u, (void)unew, (void)f;
#pragma omp parallel
#pragma omp master
  for (int s = first; s < end; ++s) {
    for (long j = 0; j < n; j += grain) {
      for (long i = 0; i < n; i += grain) {
#pragma omp task shared(u_, unew_) firstprivate(i, j) depend(in : unew[i : grain][j : grain]) \
    depend(out : u[i : grain][j : grain])
        copy(unew_, u_, block(i, j));
      }
    }
    for (long j = 0; j < n; j += grain) {
      for (long i = 0; i < n; i += grain) {
        const long up = i > 0 ? i - grain : i;
        const long down = i + grain < n ? i + grain : i;
        const long left = j > 0 ? j - grain : j;
        const long right = j + grain < n ? j + grain : j;
        (void)up, (void)down, (void)left, (void)right;
#pragma omp task shared(u_, unew_, f_) firstprivate(i, j) depend(out : unew[i : grain][j : grain]) \
    depend(in : f[i : grain][j : grain], u[i : grain][j : grain], u[up : grain][j : grain])        \
    depend(in : u[down : grain][j : grain], u[i : grain][left : grain],                            \
               u[i : grain][right : grain])
        estimate(u_, unew_, f_, block(i, j));
      }
    }
  }
}

static long wrong(int sweeps) { return grid_wrong(next, n, 3 * sweeps); }

static void finish(void) {
  free(current);
  free(next);
  free(added);
}

const Shape shape_sections = {"sections", {2048, 256}, 1, start, sweep, wrong, finish};
