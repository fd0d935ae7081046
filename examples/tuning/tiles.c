/* Smooths an image again and again, a task for each tile of rows:

     tiles [steps] [side] [sweeps]      steps: a word of the letters f, p

   f   fine tiles of 16 rows, rather than three tiles
   p   the first image is written by tasks of the same tiles, rather than by one thread

   docs/tuning.md tunes it. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { fine_rows = 16, coarse_tiles = 3 };

typedef struct {
  long begin;
  long end;
} range;

static long smaller(long a, long b) { return a < b ? a : b; }

static void start_rows(double* image, long side, range rows) {
  for (long i = rows.begin; i < rows.end; ++i) {
    for (long j = 0; j < side; ++j) image[i * side + j] = (double)((i * 7 + j * 3) % 16);
  }
}

/* Edges stay as they are. */
static void smooth_rows(const double* from, double* to, long side, range rows) {
  for (long i = rows.begin; i < rows.end; ++i) {
    for (long j = 0; j < side; ++j) {
      const double* const at = &from[i * side + j];
      const int edge = i == 0 || j == 0 || i + 1 == side || j + 1 == side;
      to[i * side + j] = edge ? *at : (at[0] + at[-1] + at[1] + at[-side] + at[side]) / 5;
    }
  }
}

static void sweep(const double* from, double* to, long side, long tile) {
#pragma omp parallel
#pragma omp single
  for (long begin = 0; begin < side; begin += tile) {
    const range rows = {begin, smaller(begin + tile, side)};
    double* const mine = to + rows.begin * side;
    const long count = (rows.end - rows.begin) * side;
#pragma omp task depend(out : mine[0 : count])
    smooth_rows(from, to, side, rows);
  }
}

static void start(double* image, long side, long tile) {
#pragma omp parallel
#pragma omp single
  for (long begin = 0; begin < side; begin += tile) {
    const range rows = {begin, smaller(begin + tile, side)};
    double* const mine = image + rows.begin * side;
    const long count = (rows.end - rows.begin) * side;
#pragma omp task depend(out : mine[0 : count])
    start_rows(image, side, rows);
  }
}

int main(int argc, char** argv) {
  const char* const steps = argc > 1 ? argv[1] : "";
  const long side = argc > 2 ? atol(argv[2]) : 768;
  const int sweeps = argc > 3 ? atoi(argv[3]) : 100;
  if (side < coarse_tiles || sweeps < 1) {
    fprintf(stderr, "usage: tiles [steps] [side] [sweeps]\n");
    return 2;
  }
  const long tile =
      strchr(steps, 'f') != NULL ? fine_rows : (side + coarse_tiles - 1) / coarse_tiles;
  const size_t bytes = (size_t)side * (size_t)side * sizeof(double);
  double* image[2] = {malloc(bytes), malloc(bytes)};
  if (image[0] == NULL || image[1] == NULL) {
    fprintf(stderr, "tiles: no memory\n");
    return 1;
  }
  if (strchr(steps, 'p') != NULL) {
    start(image[0], side, tile);
  } else {
    const range all = {0, side};
    start_rows(image[0], side, all);
    start_rows(image[1], side, all);
  }
  const double begin = omp_get_wtime();
  for (int i = 0; i < sweeps; ++i) sweep(image[i % 2], image[(i + 1) % 2], side, tile);
  const double seconds = omp_get_wtime() - begin;
  double sum = 0;
  for (long i = 0; i < side * side; ++i) sum += image[sweeps % 2][i];
  printf("side=%ld tiles=%ld seconds=%.6f sum=%.6f\n", side, (side + tile - 1) / tile, seconds,
         sum);
  return 0;
}
