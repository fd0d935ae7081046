#include <omp.h>

#include "measure.h"
#include "rows.h"

enum { chunks = 4096, iterations = 64 };

long row_dynamic(long operations) {
  const long times = (operations + chunks - 1) / chunks;
#pragma omp parallel
  for (long k = 0; k < times; ++k) {
#pragma omp for schedule(dynamic, 1)
    for (int j = 0; j < chunks; ++j) use(j);
  }
  return times * chunks;
}

long row_dynamic_16(long operations) {
  const long times = (operations + chunks - 1) / chunks;
#pragma omp parallel
  for (long k = 0; k < times; ++k) {
#pragma omp for schedule(dynamic, 16)
    for (int j = 0; j < chunks; ++j) use(j);
  }
  return times * chunks;
}

long row_dynamic_128(long operations) {
  const long times = (operations + chunks - 1) / chunks;
#pragma omp parallel
  for (long k = 0; k < times; ++k) {
#pragma omp for schedule(dynamic, 128)
    for (int j = 0; j < chunks; ++j) use(j);
  }
  return times * chunks;
}

long row_dynamic_ull(long operations) {
  const long times = (operations + chunks - 1) / chunks;
#pragma omp parallel
  for (long k = 0; k < times; ++k) {
#pragma omp for schedule(dynamic, 1)
    for (unsigned long long j = 0; j < chunks; ++j) use((int)j);
  }
  return times * chunks;
}

long row_dynamic_collapse(long operations) {
  const long times = (operations + chunks - 1) / chunks;
#pragma omp parallel
  for (long k = 0; k < times; ++k) {
#pragma omp for collapse(2) schedule(dynamic, 1)
    for (int i = 0; i < iterations; ++i)
      for (int j = 0; j < chunks / iterations; ++j) use(i + j);
  }
  return times * chunks;
}

long row_guided(long operations) {
#pragma omp parallel
  for (long k = 0; k < operations; ++k) {
#pragma omp for schedule(guided)
    for (int j = 0; j < iterations; ++j) use(j);
  }
  return operations;
}

long row_static(long operations) {
#pragma omp parallel
  for (long k = 0; k < operations; ++k) {
#pragma omp for schedule(static)
    for (int j = 0; j < iterations; ++j) use(j);
  }
  return operations;
}

long row_barrier(long operations) {
#pragma omp parallel
  for (long k = 0; k < operations; ++k) {
#pragma omp barrier
  }
  return operations;
}

long row_parallel(long operations) {
  for (long k = 0; k < operations; ++k) {
#pragma omp parallel
    use(0);
  }
  return operations;
}
