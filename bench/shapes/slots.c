// A sparse LU factorisation by blocks, each allocated when it is needed; `depend` names the slots
// of the table of pointers to them. The first thread allocates and fills the blocks of the matrix,
// and the thread that makes the tasks those that the factorisation adds. A sweep fills the blocks
// anew and factorises; from the second one on no block is added.
#include <stdlib.h>
#include <string.h>

#include "shapes.h"

static float** slots;
static long n, grain;  // blocks in a row, rows of a block

static size_t block_bytes(void) { return (size_t)grain * (size_t)grain * sizeof(float); }

// The diagonal and what lies next to it, and a few blocks elsewhere.
static int is_there(long i, long j) {
  if (i - j <= 1 && j - i <= 1) return 1;
  return i % 2 == 0 && j % 2 == 0 && (i < j ? i : j) % 3 == 0;
}

static void fill(float* block, long i, long j) {
  if (!is_there(i, j)) {
    memset(block, 0, block_bytes());
    return;
  }
  for (long r = 0; r < grain; ++r) {
    for (long c = 0; c < grain; ++c) {
      block[r * grain + c] = (float)((i * 29 + j * 31 + r * 7 + c * 13) % 64) / 64;
    }
    if (i == j) block[r * grain + r] += (float)(n * grain);
  }
}

static void lu0(float* diagonal) {
  for (long k = 0; k < grain; ++k) {
    for (long i = k + 1; i < grain; ++i) {
      const float factor = diagonal[i * grain + k] /= diagonal[k * grain + k];
      for (long j = k + 1; j < grain; ++j) {
        diagonal[i * grain + j] -= factor * diagonal[k * grain + j];
      }
    }
  }
}

static void fwd(const float* diagonal, float* column) {
  for (long k = 0; k < grain; ++k) {
    for (long i = k + 1; i < grain; ++i) {
      const float factor = diagonal[i * grain + k];
      for (long j = 0; j < grain; ++j) column[i * grain + j] -= factor * column[k * grain + j];
    }
  }
}

static void bdiv(const float* diagonal, float* row) {
  for (long i = 0; i < grain; ++i) {
    for (long k = 0; k < grain; ++k) {
      const float factor = row[i * grain + k] /= diagonal[k * grain + k];
      for (long j = k + 1; j < grain; ++j) row[i * grain + j] -= factor * diagonal[k * grain + j];
    }
  }
}

static void bmod(const float* row, const float* column, float* inner) {
  for (long i = 0; i < grain; ++i) {
    for (long k = 0; k < grain; ++k) {
      const float factor = row[i * grain + k];
      for (long j = 0; j < grain; ++j) inner[i * grain + j] -= factor * column[k * grain + j];
    }
  }
}

static void start(Sizes sizes) {
  n = sizes.n;
  grain = sizes.grain;
  slots = allocate((size_t)n * (size_t)n * sizeof *slots);
  for (long i = 0; i < n; ++i) {
    for (long j = 0; j < n; ++j) {
      slots[i * n + j] = NULL;
      if (!is_there(i, j)) continue;
      slots[i * n + j] = allocate(block_bytes());
      fill(slots[i * n + j], i, j);
    }
  }
}

static void fill_all(float** a) {
  for (long i = 0; i < n; ++i) {
    for (long j = 0; j < n; ++j) {
      if (a[i * n + j] == NULL) continue;
#pragma omp task firstprivate(a, i, j) depend(out : a[i * n + j])
      fill(a[i * n + j], i, j);
    }
  }
}

static void update_inner(float** a, long k) {
  for (long i = k + 1; i < n; ++i) {
    if (a[i * n + k] == NULL) continue;
    for (long j = k + 1; j < n; ++j) {
      if (a[k * n + j] == NULL) continue;
      if (a[i * n + j] == NULL) {
        a[i * n + j] = allocate(block_bytes());
        memset(a[i * n + j], 0, block_bytes());
      }
#pragma omp task firstprivate(a, i, j, k) depend(in : a[i * n + k], a[k * n + j]) \
    depend(inout : a[i * n + j])
      bmod(a[i * n + k], a[k * n + j], a[i * n + j]);
    }
  }
}

static void factorise(float** a) {
  for (long k = 0; k < n; ++k) {
#pragma omp task firstprivate(a, k) depend(inout : a[k * n + k])
    lu0(a[k * n + k]);
    for (long j = k + 1; j < n; ++j) {
      if (a[k * n + j] == NULL) continue;
#pragma omp task firstprivate(a, j, k) depend(in : a[k * n + k]) depend(inout : a[k * n + j])
      fwd(a[k * n + k], a[k * n + j]);
    }
    for (long i = k + 1; i < n; ++i) {
      if (a[i * n + k] == NULL) continue;
#pragma omp task firstprivate(a, i, k) depend(in : a[k * n + k]) depend(inout : a[i * n + k])
      bdiv(a[k * n + k], a[i * n + k]);
    }
    update_inner(a, k);
  }
}

static void sweep(int first, int end) {
#pragma omp parallel
#pragma omp single
  for (int s = first; s < end; ++s) {
    fill_all(slots);
    factorise(slots);
#pragma omp taskwait
  }
}

// Outside of a parallel region tasks run where they are made: the same factorisation by one thread.
static long wrong(int sweeps) {
  float** factors = slots;
  start((Sizes){n, grain});
  if (sweeps > 0) factorise(slots);
  long count = 0;
  for (long k = 0; k < n * n; ++k) {
    const float *a = slots[k], *b = factors[k];
    count += (a == NULL) != (b == NULL) || (a != NULL && memcmp(a, b, block_bytes()) != 0);
    free(slots[k]);
  }
  free(slots);
  slots = factors;
  return count;
}

static void finish(void) {
  for (long k = 0; k < n * n; ++k) free(slots[k]);
  free(slots);
}

const Shape shape_slots = {"slots", {20, 32}, 1, start, sweep, wrong, finish};
