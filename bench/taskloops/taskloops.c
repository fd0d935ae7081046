// Loops of tasks by one thread over arrays that such a loop has initialised, and that nothing
// names.
//
//   taskloops [stream|stencil|transpose] [SWEEPS] [N] [GRAIN]
//
// The shapes of programs that use `taskloop`: one thread makes all pieces, the clauses say `shared`
// and `grainsize`, and no piece tells its data. stream: a[i] += b[i] + 3 * c[i] over N doubles
// each. stencil: a cross of radius 2 over an N x N grid, by rows, and one is added to it after each
// sweep. transpose: b[i][j] += a[j][i], and one is added to a, N x N each. GRAIN iterations or rows
// a piece.
//
// Prints one line; exit status 1 if the result is wrong, 2 if the arguments are. Inside `lares lab`
// the sweeps are a counted region, and the first sweep is not in it.
#include <lares/lab.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  double *a, *b, *c;
  long n, grain;
} Arrays;

typedef struct {
  const char* name;
  int square;  // N x N elements each, not N
  int arrays;  // how many of the three it uses
  void (*initialise)(const Arrays* x);
  void (*sweep)(const Arrays* x);
  long (*count_wrong)(const Arrays* x, int sweeps);
} Shape;

static void* allocate(size_t bytes) {
  enum { page = 4096 };
  void* memory = aligned_alloc(page, (bytes + page - 1) / page * page);
  if (memory == NULL) {
    fprintf(stderr, "taskloops: no memory for %zu bytes\n", bytes);
    exit(1);
  }
  return memory;
}

static void start_stream(const Arrays* x) {
  double *a = x->a, *b = x->b, *c = x->c;
#pragma omp taskloop shared(a, b, c) grainsize(x -> grain)
  for (long i = 0; i < x->n; ++i) {
    a[i] = 0;
    b[i] = 2;
    c[i] = (double)(i % 8);
  }
}

static void sweep_stream(const Arrays* x) {
  double *a = x->a, *b = x->b, *c = x->c;
#pragma omp taskloop shared(a, b, c) grainsize(x -> grain)
  for (long i = 0; i < x->n; ++i) a[i] += b[i] + 3 * c[i];
}

static long wrong_in_stream(const Arrays* x, int sweeps) {
  long wrong = 0;
  for (long i = 0; i < x->n; ++i) wrong += x->a[i] != sweeps * (2 + 3 * (double)(i % 8));
  return wrong;
}

static void start_grids(const Arrays* x) {
  double *a = x->a, *b = x->b;
  const long n = x->n;
#pragma omp taskloop shared(a, b) firstprivate(n) grainsize(x -> grain)
  for (long i = 0; i < n; ++i) {
    for (long j = 0; j < n; ++j) {
      a[i * n + j] = (double)(i + 2 * j);
      b[i * n + j] = 0;
    }
  }
}

static void add_one(const Arrays* x) {
  double* a = x->a;
  const long n = x->n;
#pragma omp taskloop shared(a) firstprivate(n) grainsize(x -> grain)
  for (long i = 0; i < n; ++i) {
    for (long j = 0; j < n; ++j) a[i * n + j] += 1;
  }
}

// The four neighbours at distance d weigh d: what is added to all of `a` cancels out.
static void sweep_stencil(const Arrays* x) {
  const double* a = x->a;
  double* b = x->b;
  const long n = x->n;
#pragma omp taskloop shared(a, b) firstprivate(n) grainsize(x -> grain)
  for (long i = 2; i < n - 2; ++i) {
    for (long j = 2; j < n - 2; ++j) {
      const double* at = &a[i * n + j];
      b[i * n + j] +=
          at[n] - at[-n] + 2 * (at[2 * n] - at[-2 * n]) + at[1] - at[-1] + 2 * (at[2] - at[-2]);
    }
  }
  add_one(x);
}

static long wrong_in_stencil(const Arrays* x, int sweeps) {
  // Of i + 2 * j: 2 + 2 * 4 along i, and twice that along j.
  const double each = 10 + 20;
  long wrong = 0;
  for (long i = 2; i < x->n - 2; ++i) {
    for (long j = 2; j < x->n - 2; ++j) wrong += x->b[i * x->n + j] != sweeps * each;
  }
  return wrong;
}

static void sweep_transpose(const Arrays* x) {
  const double* a = x->a;
  double* b = x->b;
  const long n = x->n;
#pragma omp taskloop shared(a, b) firstprivate(n) grainsize(x -> grain)
  for (long i = 0; i < n; ++i) {
    for (long j = 0; j < n; ++j) b[i * n + j] += a[j * n + i];
  }
  add_one(x);
}

static long wrong_in_transpose(const Arrays* x, int sweeps) {
  long wrong = 0;
  for (long i = 0; i < x->n; ++i) {
    for (long j = 0; j < x->n; ++j) {
      const double added = 0.5 * sweeps * (sweeps - 1);
      wrong += x->b[i * x->n + j] != (double)sweeps * (double)(j + 2 * i) + added;
    }
  }
  return wrong;
}

static const Shape shapes[] = {
    {"stream", 0, 3, start_stream, sweep_stream, wrong_in_stream},
    {"stencil", 1, 2, start_grids, sweep_stencil, wrong_in_stencil},
    {"transpose", 1, 2, start_grids, sweep_transpose, wrong_in_transpose},
};

static const Shape* shape_named(const char* name) {
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
    if (strcmp(shapes[i].name, name) == 0) return &shapes[i];
  }
  fprintf(stderr, "taskloops: '%s' is none of stream, stencil, transpose\n", name);
  exit(2);
}

static long number(int argc, char** argv, int index, long otherwise, long most) {
  if (index >= argc) return otherwise;
  char* end = NULL;
  const long value = strtol(argv[index], &end, 10);
  if (*argv[index] == '\0' || *end != '\0' || value < 1 || value > most) {
    fprintf(stderr, "taskloops: '%s' is not a whole number from 1 to %ld\n", argv[index], most);
    exit(2);
  }
  return value;
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "--help") == 0) {
    puts(
        "taskloops [stream|stencil|transpose] [SWEEPS] [N] [GRAIN]\n"
        "for example: taskloops stencil 4 1200 20");
    return 0;
  }
  const Shape* shape = shape_named(argc > 1 ? argv[1] : "stream");
  const int sweeps = (int)number(argc, argv, 2, 4, 10000);
  const long usual = shape->square ? 1200 : 1500000;
  Arrays x = {.n = number(argc, argv, 3, usual, shape->square ? 30000 : 1000000000)};
  x.grain = number(argc, argv, 4, shape->square ? 20 : 16384, x.n);
  const size_t bytes = (size_t)x.n * (shape->square ? (size_t)x.n : 1) * sizeof(double);
  double** const arrays[] = {&x.a, &x.b, &x.c};
  for (int k = 0; k < shape->arrays; ++k) *arrays[k] = allocate(bytes);
  double seconds = 0;
#pragma omp parallel
#pragma omp master
  {
    shape->initialise(&x);
    shape->sweep(&x);
    lares_lab_region_begin("sweeps");
    const double start = omp_get_wtime();
    for (int s = 0; s < sweeps; ++s) shape->sweep(&x);
    seconds = omp_get_wtime() - start;
    lares_lab_region_end("sweeps");
  }
  const long wrong = shape->count_wrong(&x, sweeps + 1);
  printf("shape=%s n=%ld grain=%ld sweeps=%d threads=%d seconds=%.6f wrong=%ld result=%s\n",
         shape->name, x.n, x.grain, sweeps, omp_get_max_threads(), seconds / sweeps, wrong,
         wrong == 0 ? "ok" : "wrong");
  for (int k = 0; k < shape->arrays; ++k) free(*arrays[k]);
  return wrong == 0 ? 0 : 1;
}
