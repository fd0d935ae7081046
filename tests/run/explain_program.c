// Constructs that tell of their data in different ways, one after the other in one region. Each
// task works long enough to be worth sending somewhere. Prints "sum N".
#include <stdio.h>
#include <stdlib.h>

enum { blocks = 64, rounds = 8, doubles = 8192 };

static double* data;

static void work(int block) {
  double* const mine = data + (size_t)block * doubles;
  for (int times = 0; times < 4; ++times) {
    for (int i = 0; i < doubles; ++i) mine[i] = mine[i] / 2 + 1;
  }
}

static void with_depend(void) {
  for (int b = 0; b < blocks; ++b) {
    double* const block = data + (size_t)b * doubles;
    (void)block;
#pragma omp task depend(inout : block[0 : doubles])  // with depend
    work(b);
  }
#pragma omp taskwait
}

static void by_index(void) {
  for (int b = 0; b < blocks; ++b) {
#pragma omp task  // by index
    work(b);
  }
#pragma omp taskwait
}

static void in_a_loop(void) {
#pragma omp taskloop num_tasks(blocks)  // taskloop
  for (int b = 0; b < blocks; ++b) work(b);
}

int main(void) {
  data = malloc(sizeof(double) * doubles * blocks);
  if (data == NULL) return 1;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < blocks; ++b) {
    for (int i = 0; i < doubles; ++i) data[(size_t)b * doubles + i] = b;
  }
#pragma omp parallel
#pragma omp single
  for (int r = 0; r < rounds; ++r) {
    with_depend();
    by_index();
    in_a_loop();
  }
  double sum = 0;
  for (size_t i = 0; i < (size_t)doubles * blocks; ++i) sum += data[i];
  printf("sum %.0f\n", sum);
  free(data);
  return 0;
}
