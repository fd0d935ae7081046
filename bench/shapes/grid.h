// The stencil of those shapes that are stencils: each point becomes the mean of its four
// neighbours.
//
// It begins with i * i + j * j, of which that mean is one more, and at the edges one is added:
// after s sweeps each point is i * i + j * j + s, exactly. A neighbour taken from a wrong sweep
// shows.
#pragma once

typedef struct {
  long top, bottom, left, right;  // rows from `top` to the one before `bottom`, columns likewise
} Part;

static inline double grid_start_of(long i, long j) { return (double)(i * i + j * j); }

static inline void grid_start(double* grid, long n, Part part) {
  for (long i = part.top; i < part.bottom; ++i) {
    for (long j = part.left; j < part.right; ++j) grid[i * n + j] = grid_start_of(i, j);
  }
}

static inline void grid_update_row(const double* from, double* to, long n, long i, Part part) {
  long left = part.left, right = part.right;
  if (left == 0) {
    to[i * n] = from[i * n] + 1;
    left = 1;
  }
  if (right == n) {
    to[i * n + n - 1] = from[i * n + n - 1] + 1;
    right = n - 1;
  }
  if (i == 0 || i == n - 1) {
    for (long j = left; j < right; ++j) to[i * n + j] = from[i * n + j] + 1;
    return;
  }
  for (long j = left; j < right; ++j) {
    const double* at = &from[i * n + j];
    to[i * n + j] = 0.25 * (at[-n] + at[n] + at[-1] + at[1]);
  }
}

static inline void grid_update(const double* from, double* to, long n, Part part) {
  for (long i = part.top; i < part.bottom; ++i) grid_update_row(from, to, n, i, part);
}

static inline long grid_wrong(const double* grid, long n, double added) {
  long wrong = 0;
  for (long i = 0; i < n; ++i) {
    for (long j = 0; j < n; ++j) wrong += grid[i * n + j] != grid_start_of(i, j) + added;
  }
  return wrong;
}
