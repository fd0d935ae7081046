// A tiled Cholesky factorisation, A = L * transpose(L), by OpenMP tasks with dependences.
//
//   cholesky [N] [TILE] [REPEATS] [parallel|serial|interleaved]
//
// N x N doubles in square tiles of TILE x TILE, factorised REPEATS times. The last word says who
// writes the tiles first, and so where their memory is: thread t its t-th share of the rows of
// tiles, one thread all of them, or the threads row by row in turn. Every task names the whole
// tiles that it reads and writes. Each tile is an allocation of its own, page-aligned, so that its
// pages have one home.
//
// Prints one line per repeat and a last one with the check against LAPACK; exit status 1 if the
// result is wrong, 2 if the arguments are. Inside `lares lab` the factorisations are a counted
// region.
#include <cblas.h>
#include <float.h>
#include <lares/lab.h>
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { page_bytes = 4096 };

// LAPACK's, in OpenBLAS: the last argument is the length of `uplo`, as Fortran passes it.
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info, size_t length);

typedef enum { start_parallel, start_serial, start_interleaved } Start;

typedef struct {
  int n;            // order of the matrix
  int tile;         // order of a tile
  int tiles;        // tiles in a row
  double** blocks;  // lower triangle, row by row, each column-major
} Matrix;

typedef struct {
  int n, tile, repeats;
  Start start;
} Options;

static void* allocate(size_t bytes) {
  const size_t rounded = (bytes + page_bytes - 1) / page_bytes * page_bytes;
  void* memory = aligned_alloc(page_bytes, rounded);
  if (memory == NULL) {
    fprintf(stderr, "cholesky: no memory for %zu bytes\n", bytes);
    exit(1);
  }
  return memory;
}

static double* block(const Matrix* m, int row, int column) {
  return m->blocks[row * (row + 1) / 2 + column];
}

static int block_count(const Matrix* m) { return m->tiles * (m->tiles + 1) / 2; }

static Matrix make_matrix(int n, int tile) {
  Matrix m = {.n = n, .tile = tile, .tiles = n / tile};
  m.blocks = allocate((size_t)block_count(&m) * sizeof(double*));
  for (int k = 0; k < block_count(&m); ++k) {
    m.blocks[k] = allocate((size_t)tile * (size_t)tile * sizeof(double));
  }
  return m;
}

static void free_matrix(Matrix* m) {
  for (int k = 0; k < block_count(m); ++k) free(m->blocks[k]);
  free(m->blocks);
}

// Entry (row, column) of the matrix: noise in [-0.5, 0.5) and a diagonal that outweighs its row,
// so the matrix is positive definite. Symmetric for row >= column only, which is all we ask for.
static double entry(int n, int row, int column) {
  uint64_t bits = ((uint64_t)row << 32 | (uint64_t)column) * 0x9e3779b97f4a7c15ULL;
  bits = (bits ^ bits >> 29) * 0xbf58476d1ce4e5b9ULL;
  const double noise = (double)(bits >> 11) * 0x1p-53 - 0.5;
  return row == column ? n + noise : noise;
}

static void fill_block(const Matrix* m, int row, int column) {
  double* values = block(m, row, column);
  const int b = m->tile;
  for (int j = 0; j < b; ++j) {
    for (int i = 0; i < b; ++i) {
      const int r = row * b + i, c = column * b + j;
      values[j * b + i] = entry(m->n, r > c ? r : c, r > c ? c : r);
    }
  }
}

static void fill(const Matrix* m, Start start) {
  const int threads = start == start_serial ? 1 : omp_get_max_threads();
  const int share = start == start_interleaved ? 1 : (m->tiles + threads - 1) / threads;
#pragma omp parallel for schedule(static, share) if (threads > 1)
  for (int row = 0; row < m->tiles; ++row) {
    for (int column = 0; column <= row; ++column) fill_block(m, row, column);
  }
}

static void factorise_diagonal(double* a, int b) {
  int info = 0;
  dpotrf_("L", &b, a, &b, &info, 1);
  if (info != 0) {
    fprintf(stderr, "cholesky: dpotrf failed on a diagonal tile (info %d)\n", info);
    exit(1);
  }
}

static void solve(const double* l, double* a, int b) {
  cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, b, b, 1.0, l, b, a,
              b);
}

static void update_diagonal(const double* l, double* a, int b) {
  cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, b, b, -1.0, l, b, 1.0, a, b);
}

static void update(const double* left, const double* right, double* a, int b) {
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, b, b, b, -1.0, left, b, right, b, 1.0, a, b);
}

// The tasks of one step: factorise tile (k, k), solve the column below it, update the rest.
static void create_step(const Matrix* m, int k) {
  const int b = m->tile;
  const size_t all = (size_t)b * (size_t)b;
  double* pivot = block(m, k, k);
#pragma omp task depend(inout : pivot[0 : all])
  factorise_diagonal(pivot, b);
  for (int i = k + 1; i < m->tiles; ++i) {
    double* a = block(m, i, k);
#pragma omp task depend(in : pivot[0 : all]) depend(inout : a[0 : all])
    solve(pivot, a, b);
  }
  for (int i = k + 1; i < m->tiles; ++i) {
    double* left = block(m, i, k);
    for (int j = k + 1; j < i; ++j) {
      double* right = block(m, j, k);
      double* a = block(m, i, j);
#pragma omp task depend(in : left[0 : all], right[0 : all]) depend(inout : a[0 : all])
      update(left, right, a, b);
    }
    double* diagonal = block(m, i, i);
#pragma omp task depend(in : left[0 : all]) depend(inout : diagonal[0 : all])
    update_diagonal(left, diagonal, b);
  }
}

static double factorise(const Matrix* m) {
  const double start = omp_get_wtime();
  lares_lab_region_begin("factorise");
#pragma omp parallel
#pragma omp single
  for (int k = 0; k < m->tiles; ++k) create_step(m, k);
  lares_lab_region_end("factorise");
  return omp_get_wtime() - start;
}

// The lower triangle as one column-major array; zeros above the diagonal.
static double* to_dense(const Matrix* m) {
  const size_t n = (size_t)m->n, b = (size_t)m->tile;
  double* dense = allocate(n * n * sizeof(double));
  memset(dense, 0, n * n * sizeof(double));
  for (size_t c = 0; c < n; ++c) {
    for (size_t r = c; r < n; ++r) {
      dense[c * n + r] = block(m, (int)(r / b), (int)(c / b))[c % b * b + r % b];
    }
  }
  return dense;
}

// The largest difference to LAPACK's factor, relative to its largest entry.
static double difference_to_lapack(const double* factor, int n) {
  double* reference = allocate((size_t)n * (size_t)n * sizeof(double));
  for (int c = 0; c < n; ++c) {
    for (int r = 0; r < n; ++r) reference[(size_t)c * n + r] = r < c ? 0.0 : entry(n, r, c);
  }
  factorise_diagonal(reference, n);
  double largest = 0.0, difference = 0.0;
  for (size_t k = 0; k < (size_t)n * (size_t)n; ++k) {
    largest = fmax(largest, fabs(reference[k]));
    // Not fmax, which would lose a NaN.
    const double here = fabs(reference[k] - factor[k]);
    if (!(here <= difference)) difference = here;
  }
  free(reference);
  return difference / largest;
}

// ||A - L * transpose(L)|| / ||A|| in the Frobenius norm.
static double backward_error(const double* factor, int n) {
  const size_t bytes = (size_t)n * (size_t)n * sizeof(double);
  double* product = allocate(bytes);
  memcpy(product, factor, bytes);
  cblas_dtrmm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, n, n, 1.0, factor, n,
              product, n);
  double error = 0.0, norm = 0.0;
  for (int c = 0; c < n; ++c) {
    for (int r = c; r < n; ++r) {
      const double weight = r == c ? 1.0 : 2.0, a = entry(n, r, c);
      const double here = a - product[(size_t)c * n + r];
      error += weight * here * here;
      norm += weight * a * a;
    }
  }
  free(product);
  return sqrt(error / norm);
}

static int check(const Matrix* m) {
  double* factor = to_dense(m);
  const double difference = difference_to_lapack(factor, m->n);
  const double backward = backward_error(factor, m->n);
  free(factor);
  // Rounding grows at most like n times the unit roundoff; a wrong task order is far above it.
  const double limit = m->n * DBL_EPSILON;
  const int good = difference <= limit && backward <= limit;
  printf("check difference=%.3e backward=%.3e limit=%.3e result=%s\n", difference, backward, limit,
         good ? "ok" : "wrong");
  return good;
}

static int positive(const char* text, const char* what) {
  char* end = NULL;
  const long value = strtol(text, &end, 10);
  if (*text == '\0' || *end != '\0' || value < 1 || value > 100000) {
    fprintf(stderr, "cholesky: %s '%s' is not a whole number from 1 to 100000\n", what, text);
    exit(2);
  }
  return (int)value;
}

static Start start_named(const char* word) {
  if (strcmp(word, "parallel") == 0) return start_parallel;
  if (strcmp(word, "serial") == 0) return start_serial;
  if (strcmp(word, "interleaved") == 0) return start_interleaved;
  fprintf(stderr, "cholesky: start '%s' is not one of parallel, serial, interleaved\n", word);
  exit(2);
}

static Options read_options(int argc, char** argv) {
  Options o = {.n = 2048, .tile = 128, .repeats = 3, .start = start_parallel};
  if (argc > 1 && strcmp(argv[1], "--help") == 0) {
    puts("cholesky [N] [TILE] [REPEATS] [parallel|serial]   for example: cholesky 2048 128 3");
    exit(0);
  }
  if (argc > 1) o.n = positive(argv[1], "N");
  if (argc > 2) o.tile = positive(argv[2], "TILE");
  if (argc > 3) o.repeats = positive(argv[3], "REPEATS");
  if (argc > 4) {
    o.start = start_named(argv[4]);
  }
  if (argc > 5) {
    fprintf(stderr, "cholesky: '%s' is one argument too many, four are accepted\n", argv[5]);
    exit(2);
  }
  if (o.n % o.tile != 0) {
    fprintf(stderr, "cholesky: TILE %d does not divide N %d\n", o.tile, o.n);
    exit(2);
  }
  return o;
}

int main(int argc, char** argv) {
  const Options o = read_options(argc, argv);
  openblas_set_num_threads(1);  // the tasks are the parallelism
  Matrix m = make_matrix(o.n, o.tile);
  const double operations = (double)o.n * o.n * o.n / 3.0;
  for (int k = 0; k < o.repeats; ++k) {
    fill(&m, o.start);
    const double seconds = factorise(&m);
    printf("cholesky n=%d tile=%d threads=%d repeat=%d seconds=%.6f gflops=%.2f\n", o.n, o.tile,
           omp_get_max_threads(), k, seconds, operations / seconds * 1e-9);
  }
  const int good = check(&m);
  free_matrix(&m);
  return good ? 0 : 1;
}
