/* A conjugate gradient solver in the steps of a tuning cycle (docs/tuning.md):

     cg [steps] [rows] [iterations]      steps: a word of the letters p, b, t

   p   the matrix and the vectors are initialised in parallel, by the threads that use them later
   b   threads get rows with equally many entries, rather than equally many rows
   t   the product is made of tasks that name their part of the result, rather than of a static loop

   The matrix is made here: symmetric, positive definite, and its first rows have many entries. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { narrow = 4, wide = 48, blocks_a_thread = 4 };

typedef struct {
  long rows;
  long* first; /* of each row's entries; rows + 1 of them */
  int* column;
  double* value;
} matrix;

typedef struct {
  long begin;
  long end;
} range;

static int parallel_start = 0;
static int balanced = 0;
static int by_tasks = 0;

static long reach_of(long row, long rows) { return row < rows / 8 ? wide : narrow; }

static long smaller(long a, long b) { return a < b ? a : b; }

/* Symmetric: a row reaches to another if both reach that far. */
static int reaches(long row, long other, long rows) {
  const long distance = row < other ? other - row : row - other;
  return distance <= smaller(reach_of(row, rows), reach_of(other, rows));
}

static long entries_of(long row, long rows) {
  const long reach = reach_of(row, rows);
  long count = 0;
  for (long j = row - reach; j <= row + reach; ++j) {
    if (j >= 0 && j < rows && reaches(row, j, rows)) ++count;
  }
  return count;
}

/* The rows of part `i` of `parts`. */
static range part(const long* first, long rows, int i, int parts) {
  if (!balanced) {
    const range equal = {rows * i / parts, rows * (i + 1) / parts};
    return equal;
  }
  const long entries = first[rows];
  range found = {0, 0};
  long low = 0;
  for (int side = 0; side < 2; ++side) {
    const long wanted = entries * (i + side) / parts;
    long high = rows;
    while (low < high) {
      const long middle = (low + high) / 2;
      if (first[middle] < wanted) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (side == 0) {
      found.begin = i == 0 ? 0 : low;
    } else {
      found.end = i + 1 == parts ? rows : low;
    }
  }
  return found;
}

static void fill_rows(matrix* a, range rows) {
  for (long i = rows.begin; i < rows.end; ++i) {
    const long reach = reach_of(i, a->rows);
    long at = a->first[i];
    for (long j = i - reach; j <= i + reach; ++j) {
      if (j < 0 || j >= a->rows || !reaches(i, j, a->rows)) continue;
      a->column[at] = (int)j;
      a->value[at++] = i == j ? 2.0 * wide + 2 : -1.0 / (1 + labs(i - j));
    }
  }
}

static void multiply_rows(const matrix* a, const double* x, double* y, range rows) {
  for (long i = rows.begin; i < rows.end; ++i) {
    double sum = 0;
    for (long k = a->first[i]; k < a->first[i + 1]; ++k) sum += a->value[k] * x[a->column[k]];
    y[i] = sum;
  }
}

static void multiply(const matrix* a, const double* x, double* y) {
  if (!by_tasks) {
#pragma omp parallel
    multiply_rows(a, x, y, part(a->first, a->rows, omp_get_thread_num(), omp_get_num_threads()));
    return;
  }
#pragma omp parallel
#pragma omp single
  {
    const int parts = blocks_a_thread * omp_get_num_threads();
    for (int i = 0; i < parts; ++i) {
      const range rows = part(a->first, a->rows, i, parts);
      double* const mine = y + rows.begin;
      const long count = rows.end - rows.begin;
      if (count == 0) continue;
#pragma omp task depend(out : mine[0 : count])
      multiply_rows(a, x, y, rows);
    }
  }
}

static double dot(const double* x, const double* y, long n) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
  for (long i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

/* y = a x + b y */
static void combine(double a, const double* x, double b, double* y, long n) {
#pragma omp parallel for schedule(static)
  for (long i = 0; i < n; ++i) y[i] = a * x[i] + b * y[i];
}

static void* room(size_t bytes) {
  void* const memory = malloc(bytes);
  if (memory == NULL) {
    fprintf(stderr, "cg: no memory\n");
    exit(1);
  }
  return memory;
}

int main(int argc, char** argv) {
  const char* const steps = argc > 1 ? argv[1] : "";
  parallel_start = strchr(steps, 'p') != NULL;
  balanced = strchr(steps, 'b') != NULL;
  by_tasks = strchr(steps, 't') != NULL;
  const long n = argc > 2 ? atol(argv[2]) : 200000;
  const int iterations = argc > 3 ? atoi(argv[3]) : 20;
  if (n < 1 || iterations < 1) {
    fprintf(stderr, "usage: cg [steps] [rows] [iterations]\n");
    return 2;
  }
  matrix a = {n, room(((size_t)n + 1) * sizeof(long)), NULL, NULL};
  a.first[0] = 0;
  for (long i = 0; i < n; ++i) a.first[i + 1] = a.first[i] + entries_of(i, n);
  a.column = room((size_t)a.first[n] * sizeof(int));
  a.value = room((size_t)a.first[n] * sizeof(double));
  double* const x = room((size_t)n * sizeof(double));
  double* const r = room((size_t)n * sizeof(double));
  double* const p = room((size_t)n * sizeof(double));
  double* const q = room((size_t)n * sizeof(double));
#pragma omp parallel if (parallel_start)
  {
    const range mine = part(a.first, n, omp_get_thread_num(), omp_get_num_threads());
    fill_rows(&a, mine);
    for (long i = mine.begin; i < mine.end; ++i) {
      x[i] = q[i] = 0;
      r[i] = p[i] = 1;
    }
  }
  const double begin = omp_get_wtime();
  double rr = dot(r, r, n);
  for (int k = 0; k < iterations; ++k) {
    multiply(&a, p, q);
    const double alpha = rr / dot(p, q, n);
    combine(alpha, p, 1, x, n);
    combine(-alpha, q, 1, r, n);
    const double next = dot(r, r, n);
    combine(1, r, next / rr, p, n);
    rr = next;
  }
  const double seconds = omp_get_wtime() - begin;
  multiply(&a, x, q);
  double error = 0;
  for (long i = 0; i < n; ++i) {
    const double off = q[i] - 1;
    error += off * off;
  }
  printf("rows=%ld entries=%ld seconds=%.6f result=%s\n", n, a.first[n], seconds,
         error < 1e-12 * (double)n ? "ok" : "wrong");
  return error < 1e-12 * (double)n ? 0 : 1;
}
