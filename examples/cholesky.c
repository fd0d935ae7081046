// A tiled Cholesky factorisation, A = L * transpose(L), by OpenMP tasks with dependences.
//
//   cholesky [N] [TILE] [REPEATS] [parallel|serial|interleaved|balanced]
//
// N x N doubles in square tiles of TILE x TILE, factorised REPEATS times. The last word says who
// writes the tiles first, and so where their memory is: thread t its t-th share of the rows of
// tiles, one thread all of them, the threads row by row in turn, or in turn there and back. A row's
// work grows with its square: there and back, all threads have nearly equal work if each has an
// even number of rows. Every task names the whole tiles that it reads and writes. Each tile is an
// allocation of its own, page-aligned, so that its pages have one home.
//
// Prints one line per repeat and a last one with the check; exit status 1 if the result is wrong, 2
// if the arguments are. Inside `lares lab` the factorisations are a counted region.
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

typedef enum { start_parallel, start_serial, start_interleaved, start_balanced } Start;

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

// The thread that writes a row of tiles first.
static int owner(const Matrix* m, Start start, int row, int threads) {
  const int round = row / threads, place = row % threads;
  switch (start) {
    case start_serial:
      return 0;
    case start_interleaved:
      return place;
    case start_balanced:
      return round % 2 == 0 ? place : threads - 1 - place;
    default:
      return row / ((m->tiles + threads - 1) / threads);
  }
}

static void fill(const Matrix* m, Start start) {
#pragma omp parallel
  for (int row = 0; row < m->tiles; ++row) {
    if (owner(m, start, row, omp_get_num_threads()) != omp_get_thread_num()) continue;
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

static double probe(int index, int vector) { return entry(0, index + 1, -1 - vector); }

// sums[r] += tile * x, or transpose(tile) * x. Of a diagonal tile the lower triangle counts.
static void multiply(const double* tile, int b, int diagonal, int transposed, const double* x,
                     double* sums) {
  for (int c = 0; c < b; ++c) {
    for (int r = diagonal ? c : 0; r < b; ++r) {
      if (transposed) {
        sums[c] += tile[c * b + r] * x[r];
      } else {
        sums[r] += tile[c * b + r] * x[c];
      }
    }
  }
}

// The factor or its transpose, times x.
static void multiply_factor(const Matrix* m, int transposed, const double* x, double* sums) {
  memset(sums, 0, (size_t)m->n * sizeof(double));
  for (int row = 0; row < m->tiles; ++row) {
    for (int column = 0; column <= row; ++column) {
      const int from = transposed ? row : column, to = transposed ? column : row;
      multiply(block(m, row, column), m->tile, row == column, transposed, x + from * m->tile,
               sums + to * m->tile);
    }
  }
}

// sums -= A * x. Answers the square of A's Frobenius norm.
static double subtract_matrix(int n, const double* x, double* sums) {
  double norm = 0.0;
  for (int c = 0; c < n; ++c) {
    for (int r = c; r < n; ++r) {
      const double a = entry(n, r, c);
      sums[r] -= a * x[c];
      if (r != c) sums[c] -= a * x[r];
      norm += (r == c ? 1.0 : 2.0) * a * a;
    }
  }
  return norm;
}

static double square_norm(const double* x, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += x[i] * x[i];
  return sum;
}

// ||A * x - L * (transpose(L) * x)|| / (||A|| * ||x||) of some noise x: a wrong entry of L shows,
// and it costs less than the factorisation by far.
static double residual(const Matrix* m, int vector) {
  const size_t bytes = (size_t)m->n * sizeof(double);
  double *x = allocate(bytes), *middle = allocate(bytes), *sums = allocate(bytes);
  for (int i = 0; i < m->n; ++i) x[i] = probe(i, vector);
  multiply_factor(m, 1, x, middle);
  multiply_factor(m, 0, middle, sums);
  const double norm = subtract_matrix(m->n, x, sums) * square_norm(x, m->n);
  const double error = square_norm(sums, m->n);
  free(x);
  free(middle);
  free(sums);
  return sqrt(error / norm);
}

static int check(const Matrix* m) {
  enum { vectors = 3 };
  double worst = 0.0;
  for (int v = 0; v < vectors; ++v) {
    // Not fmax, which would lose a NaN.
    const double here = residual(m, v);
    if (!(here <= worst)) worst = here;
  }
  // Rounding grows at most like n times the unit roundoff; a wrong task order is far above it.
  const double limit = m->n * DBL_EPSILON;
  const int good = worst <= limit;
  printf("check residual=%.3e limit=%.3e result=%s\n", worst, limit, good ? "ok" : "wrong");
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
  if (strcmp(word, "balanced") == 0) return start_balanced;
  fprintf(stderr, "cholesky: start '%s' is not one of parallel, serial, interleaved, balanced\n",
          word);
  exit(2);
}

static Options read_options(int argc, char** argv) {
  Options o = {.n = 2048, .tile = 128, .repeats = 3, .start = start_parallel};
  if (argc > 1 && strcmp(argv[1], "--help") == 0) {
    puts(
        "cholesky [N] [TILE] [REPEATS] [parallel|serial|interleaved|balanced]\n"
        "for example: cholesky 2048 128 3");
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
