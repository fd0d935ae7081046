// A taskgroup of which the program says what memory its tasks use, which themselves have but two
// numbers.
//
// grouped said|unsaid [KIB [BLOCKS [SWEEPS]]]: BLOCKS blocks of KIB, filled by the threads that
// have them in a static loop. In each sweep one thread goes over the blocks, in ever another order,
// and makes some tasks for each. From the second sweep on it is the region "late". Prints whether
// every number is what it must be.
#include <lares/lab.h>
#include <lares/lares.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { parts = 8, strides = 5 };

static double* numbers;
static int count, is_said;
static long length;  // of a block, in numbers

static double first_value(int block, long i) { return (double)((block + i) % 100); }

static void fill(void) {
#pragma omp parallel for schedule(static)
  for (int b = 0; b < count; ++b) {
    for (long i = 0; i < length; ++i) numbers[b * length + i] = first_value(b, i);
  }
}

static void update(int block, int part) {
  double* const first = numbers + block * length + part * (length / parts);
  for (long i = 0; i < length / parts; ++i) first[i] = first[i] / 2 + 1;
}

static void say(int block) {
  if (!is_said) return;
  const size_t bytes = (size_t)length * sizeof *numbers;
  if (lares_set_taskgroup_affinity(numbers + block * length, bytes) != 0) exit(3);
}

static void sweep(int first, int end) {
  static const int stride[strides] = {7, 11, 13, 17, 19};  // of a power of two: over all blocks
#pragma omp parallel
#pragma omp single
  for (int s = first; s < end; ++s) {
#pragma omp taskgroup
    for (int k = 0; k < count; ++k) {
      const int block = (k * stride[s % strides] + s) % count;
      say(block);
      for (int part = 0; part < parts; ++part) {
#pragma omp task firstprivate(block, part)
        update(block, part);
      }
    }
  }
}

static long wrong(int sweeps) {
  long found = 0;
  for (int b = 0; b < count; ++b) {
    for (long i = 0; i < length; ++i) {
      double x = first_value(b, i);
      for (int s = 0; s < sweeps; ++s) x = x / 2 + 1;
      found += numbers[b * length + i] != x;
    }
  }
  return found;
}

int main(int argc, char** argv) {
  if (argc < 2 || (strcmp(argv[1], "said") != 0 && strcmp(argv[1], "unsaid") != 0)) return 2;
  is_said = strcmp(argv[1], "said") == 0;
  length = (argc > 2 ? atol(argv[2]) : 256) * 1024 / (long)sizeof *numbers;
  count = argc > 3 ? atoi(argv[3]) : 32;
  const int sweeps = argc > 4 ? atoi(argv[4]) : 6;
  if (length < parts || count < 1 || (count & (count - 1)) != 0 || sweeps < 2) return 2;
  numbers = malloc((size_t)count * (size_t)length * sizeof *numbers);
  if (numbers == NULL) return 1;
  fill();
  sweep(0, 1);
  lares_lab_region_begin("late");
  sweep(1, sweeps);
  lares_lab_region_end("late");
  const long bad = wrong(sweeps);
  printf("wrong=%ld result=%s\n", bad, bad == 0 ? "ok" : "wrong");
  return bad != 0;
}
