// taskloop combined with parallel and master.
// conformance: stock-fails clang parallel_masked_taskloop: the tasks of Clang 19 write into copies
// conformance: stock-fails clang masked_taskloop_simd: the tasks of Clang 19 write into copies
#include "check.h"

static void parallel_master_taskloop(void) {
  int cells[200] = {0};
#pragma omp parallel master taskloop grainsize(7) shared(cells)
  for (int i = 0; i < 200; i++) cells[i]++;
  for (int i = 0; i < 200; i++) CHECK_EQUAL(cells[i], 1);
}

static void parallel_master_taskloop_reduction(void) {
  int sum = 0;
#pragma omp parallel master taskloop reduction(+ : sum) num_tasks(6)
  for (int i = 0; i < 100; i++) sum += i;
  CHECK_EQUAL(sum, 4950);
}

static void parallel_masked_taskloop(void) {
  int cells[200] = {0};
#pragma omp parallel masked taskloop num_tasks(13) shared(cells)
  for (int i = 0; i < 200; i++) cells[i]++;
  for (int i = 0; i < 200; i++) CHECK_EQUAL(cells[i], 1);
}

static void master_taskloop_simd(void) {
  int cells[200] = {0};
#pragma omp parallel
#pragma omp master taskloop simd grainsize(16)
  for (int i = 0; i < 200; i++) cells[i] += i;
  for (int i = 0; i < 200; i++) CHECK_EQUAL(cells[i], i);
}

static void masked_taskloop_simd(void) {
  int cells[200] = {0};
#pragma omp parallel
#pragma omp masked taskloop simd num_tasks(5) shared(cells)
  for (int i = 0; i < 200; i++) cells[i] += i;
  for (int i = 0; i < 200; i++) CHECK_EQUAL(cells[i], i);
}

static void parallel_masked_tasks(void) {
  int done = 0;
#pragma omp parallel masked
  for (int i = 0; i < 100; i++) {
#pragma omp task shared(done)
    bump(&done);
  }
  CHECK_EQUAL(done, 100);
}

CASES(CASE(parallel_master_taskloop), CASE(parallel_master_taskloop_reduction),
      CASE(parallel_masked_taskloop), CASE(master_taskloop_simd), CASE(masked_taskloop_simd),
      CASE(parallel_masked_tasks))
