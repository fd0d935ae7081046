// Tasks that have a pointer to a block of their own each, and nothing else that tells blocks apart.
//
// own_blocks [KIB [BLOCKS [SWEEPS]]]: BLOCKS blocks of KIB by malloc. The threads fill them, in an
// order that has nothing to do with the one in which tasks are made for them. From the third sweep
// on it is the region "late". Prints whether every number is what it must be.
#include <lares/lab.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { first_sweeps = 2, step = 61 };  // prime: it goes over all blocks unless they are as many

static double** blocks;
static int count;
static long length;

static double first_value(int block, long i) { return (double)((block + i) % 100); }

static void allocate(void) {
  blocks = malloc((size_t)count * sizeof *blocks);
  if (blocks == NULL) exit(1);
  for (int b = 0; b < count; ++b) {
    blocks[b] = malloc((size_t)length * sizeof **blocks);
    if (blocks[b] == NULL) exit(1);
  }
}

static void fill(void) {
#pragma omp parallel for schedule(static)
  for (int k = 0; k < count; ++k) {
    const int b = (int)((long)k * step % count);
    for (long i = 0; i < length; ++i) blocks[b][i] = first_value(b, i);
  }
}

static void update(double* block, long doubles) {
  for (long i = 0; i < doubles; ++i) block[i] = block[i] / 2 + 1;
}

static void sweep(int times) {
#pragma omp parallel
#pragma omp single
  for (int s = 0; s < times; ++s) {
    for (int b = 0; b < count; ++b) {
      double* block = blocks[b];
      const long doubles = length;
#pragma omp task firstprivate(block, doubles)
      update(block, doubles);
    }
#pragma omp taskwait
  }
}

static long wrong(int sweeps) {
  long found = 0;
  for (int b = 0; b < count; ++b) {
    for (long i = 0; i < length; ++i) {
      double x = first_value(b, i);
      for (int s = 0; s < sweeps; ++s) x = x / 2 + 1;
      found += blocks[b][i] != x;
    }
  }
  return found;
}

int main(int argc, char** argv) {
  length = (argc > 1 ? atol(argv[1]) : 64) * 1024 / (long)sizeof(double);
  count = argc > 2 ? atoi(argv[2]) : 128;
  const int sweeps = argc > 3 ? atoi(argv[3]) : 8;
  if (length < 1 || count < 1 || count % step == 0 || sweeps <= first_sweeps) return 2;
  allocate();
  fill();
  sweep(first_sweeps);
  lares_lab_region_begin("late");
  sweep(sweeps - first_sweeps);
  lares_lab_region_end("late");
  const long bad = wrong(sweeps);
  printf("wrong=%ld result=%s\n", bad, bad == 0 ? "ok" : "wrong");
  return bad != 0;
}
