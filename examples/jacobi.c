// A blocked six-point Jacobi smoother in three dimensions, by OpenMP tasks with dependences.
//
//   jacobi [N] [BLOCK] [SWEEPS] [parallel|serial|interleaved] [forward|backward|shuffled]
//
// N x N x N inner points and a fixed boundary, cut into columns of BLOCK x BLOCK lines; one task
// per column and sweep, after Wittmann & Hager (2010), section 3. A task names its column and the
// four beside it in the old grid, and its column in the new one, each as a whole. The fourth word
// says who writes the columns first, and so where their memory is: thread t its t-th share of them
// (neighbouring columns stay together), one thread all of them, or the threads in turn. The last
// one is the order in which the tasks are created.
//
// Prints one line per run and one with the check against a serial sweep; exit status 1 if the
// result is wrong, 2 if the arguments are. Inside `lares lab` the sweeps are a counted region.
#include <lares/lab.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { page_bytes = 4096, most_columns = 1 << 20 };

typedef enum { start_parallel, start_serial, start_interleaved } Start;
typedef enum { order_forward, order_backward, order_shuffled } Order;

typedef struct {
  int n, block, sweeps;
  Start start;
  Order order;
} Options;

// One grid: columns of BLOCK x BLOCK lines of N + 2 points. A column is an allocation of its own,
// page-aligned, so that its pages have one home; the boundary's lines lie in columns at the rim.
typedef struct {
  int n;       // inner points in a direction
  int block;   // lines in a direction of a column
  int across;  // columns in a direction, the rim's two included
  double** columns;
} Grid;

static void* allocate(size_t bytes) {
  const size_t rounded = (bytes + page_bytes - 1) / page_bytes * page_bytes;
  void* memory = aligned_alloc(page_bytes, rounded);
  if (memory == NULL) {
    fprintf(stderr, "jacobi: no memory for %zu bytes\n", bytes);
    exit(1);
  }
  return memory;
}

static size_t line_points(const Grid* g) { return (size_t)g->n + 2; }

static size_t column_points(const Grid* g) {
  return line_points(g) * (size_t)g->block * (size_t)g->block;
}

static double* column(const Grid* g, int y, int z) { return g->columns[z * g->across + y]; }

static int is_rim(const Grid* g, int y, int z) {
  return y == 0 || z == 0 || y == g->across - 1 || z == g->across - 1;
}

// Line (y, z) of a column.
static double* line(const Grid* g, double* values, int y, int z) {
  return values + ((size_t)z * (size_t)g->block + (size_t)y) * line_points(g);
}

static Grid make_grid(int n, int block) {
  Grid g = {.n = n, .block = block, .across = n / block + 2};
  const int count = g.across * g.across;
  g.columns = allocate((size_t)count * sizeof(double*));
  for (int c = 0; c < count; ++c) g.columns[c] = allocate(column_points(&g) * sizeof(double));
  return g;
}

static void free_grid(Grid* g) {
  for (int c = 0; c < g->across * g->across; ++c) free(g->columns[c]);
  free(g->columns);
}

// Noise in [0, 1) that depends on the point alone.
static double noise(int x, int y, int z) {
  uint64_t bits = (uint64_t)x << 42 | (uint64_t)y << 21 | (uint64_t)z;
  bits = (bits ^ bits >> 29) * 0x9e3779b97f4a7c15ULL;
  bits = (bits ^ bits >> 32) * 0xbf58476d1ce4e5b9ULL;
  return (double)(bits >> 11) * 0x1p-53;
}

static void fill_column(const Grid* g, int y, int z) {
  double* values = column(g, y, z);
  for (int j = 0; j < g->block; ++j) {
    for (int i = 0; i < g->block; ++i) {
      double* here = line(g, values, i, j);
      for (int x = 0; x < g->n + 2; ++x) here[x] = noise(x, y * g->block + i, z * g->block + j);
    }
  }
}

// The place of a column among those that are computed; the rim goes with the column beside it.
static long inner_place(const Grid* g, int y, int z) {
  const int last = g->across - 2;
  const int inner_y = y < 1 ? 1 : y > last ? last : y;
  const int inner_z = z < 1 ? 1 : z > last ? last : z;
  return (long)(inner_z - 1) * last + (inner_y - 1);
}

// The thread that writes the column first. All get equally many of those that are computed; what
// follows must not depend on how many threads there are.
static int owner(const Grid* g, Start start, int y, int z, int threads) {
  const long inner = (long)(g->across - 2) * (g->across - 2);
  switch (start) {
    case start_serial:
      return 0;
    case start_interleaved:
      return (int)(inner_place(g, y, z) % threads);
    default:
      return (int)(inner_place(g, y, z) * threads / inner);
  }
}

static void fill(const Grid* a, const Grid* b, Start start) {
#pragma omp parallel
  for (int z = 0; z < a->across; ++z) {
    for (int y = 0; y < a->across; ++y) {
      if (owner(a, start, y, z, omp_get_num_threads()) != omp_get_thread_num()) continue;
      fill_column(a, y, z);
      fill_column(b, y, z);
    }
  }
}

// Line (y, z) of the old grid as seen from column (cy, cz): it may lie in the next one.
static const double* old_line(const Grid* g, int cy, int cz, int y, int z) {
  const int b = g->block;
  if (y < 0) return line(g, column(g, cy - 1, cz), b - 1, z);
  if (y == b) return line(g, column(g, cy + 1, cz), 0, z);
  if (z < 0) return line(g, column(g, cy, cz - 1), y, b - 1);
  if (z == b) return line(g, column(g, cy, cz + 1), y, 0);
  return line(g, column(g, cy, cz), y, z);
}

static void smooth_column(const Grid* from, const Grid* to, int cy, int cz) {
  for (int z = 0; z < from->block; ++z) {
    for (int y = 0; y < from->block; ++y) {
      const double* here = old_line(from, cy, cz, y, z);
      const double* west = old_line(from, cy, cz, y - 1, z);
      const double* east = old_line(from, cy, cz, y + 1, z);
      const double* below = old_line(from, cy, cz, y, z - 1);
      const double* above = old_line(from, cy, cz, y, z + 1);
      double* result = line(to, column(to, cy, cz), y, z);
      for (int x = 1; x <= from->n; ++x) {
        result[x] =
            (here[x - 1] + here[x + 1] + west[x] + east[x] + below[x] + above[x]) * (1.0 / 6.0);
      }
    }
  }
}

// The columns that are computed, in the order in which their tasks are created.
static int* make_order(const Grid* g, Order order, int* count) {
  int* list = allocate((size_t)g->across * (size_t)g->across * sizeof(int));
  *count = 0;
  for (int c = 0; c < g->across * g->across; ++c) {
    if (!is_rim(g, c % g->across, c / g->across)) list[(*count)++] = c;
  }
  for (int i = *count - 1; i > 0 && order != order_forward; --i) {
    const int other = order == order_shuffled ? (int)(noise(i, 1, 2) * (i + 1)) : *count - 1 - i;
    if (order == order_backward && other >= i) break;
    const int kept = list[i];
    list[i] = list[other];
    list[other] = kept;
  }
  return list;
}

static void create_sweep(const Grid* from, const Grid* to, const int* order, int count) {
  const size_t all = column_points(from);
  for (int i = 0; i < count; ++i) {
    const int y = order[i] % from->across, z = order[i] / from->across;
    const double* here = column(from, y, z);
    const double* west = column(from, y - 1, z);
    const double* east = column(from, y + 1, z);
    const double* below = column(from, y, z - 1);
    const double* above = column(from, y, z + 1);
    double* result = column(to, y, z);
#pragma omp task depend(in : here[0 : all], west[0 : all], east[0 : all], below[0 : all], \
                            above[0 : all]) depend(out : result[0 : all])
    smooth_column(from, to, y, z);
  }
}

static double smooth(const Grid* a, const Grid* b, const Options* o) {
  int count = 0;
  int* order = make_order(a, o->order, &count);
  const double start = omp_get_wtime();
  lares_lab_region_begin("sweeps");
#pragma omp parallel
#pragma omp single
  for (int s = 0; s < o->sweeps; ++s) {
    create_sweep(s % 2 == 0 ? a : b, s % 2 == 0 ? b : a, order, count);
  }
  lares_lab_region_end("sweeps");
  const double seconds = omp_get_wtime() - start;
  free(order);
  return seconds;
}

// The same sweeps by one thread on grids of its own; every point must be the same to the last bit.
static long wrong_points(const Grid* result, const Options* o) {
  Grid a = make_grid(o->n, o->block), b = make_grid(o->n, o->block);
  fill(&a, &b, start_serial);
  for (int s = 0; s < o->sweeps; ++s) {
    for (int z = 1; z < a.across - 1; ++z) {
      for (int y = 1; y < a.across - 1; ++y) {
        smooth_column(s % 2 == 0 ? &a : &b, s % 2 == 0 ? &b : &a, y, z);
      }
    }
  }
  const Grid* reference = o->sweeps % 2 == 0 ? &a : &b;
  long wrong = 0;
  for (int c = 0; c < a.across * a.across; ++c) {
    for (size_t p = 0; p < column_points(&a); ++p) {
      wrong += result->columns[c][p] != reference->columns[c][p];
    }
  }
  free_grid(&a);
  free_grid(&b);
  return wrong;
}

static int number(const char* text, const char* what, long least, long most) {
  char* end = NULL;
  const long value = strtol(text, &end, 10);
  if (*text == '\0' || *end != '\0' || value < least || value > most) {
    fprintf(stderr, "jacobi: %s '%s' is not a whole number from %ld to %ld\n", what, text, least,
            most);
    exit(2);
  }
  return (int)value;
}

// The place of `text` among `words`, which ends with NULL.
static int choice(const char* text, const char* what, const char* const* words) {
  for (int i = 0; words[i] != NULL; ++i) {
    if (strcmp(text, words[i]) == 0) return i;
  }
  fprintf(stderr, "jacobi: %s '%s' is not one of:", what, text);
  for (int i = 0; words[i] != NULL; ++i) fprintf(stderr, " %s", words[i]);
  fputc('\n', stderr);
  exit(2);
}

static Options read_options(int argc, char** argv) {
  static const char* const starts[] = {"parallel", "serial", "interleaved", NULL};
  static const char* const orders[] = {"forward", "backward", "shuffled", NULL};
  Options o = {.n = 192, .block = 16, .sweeps = 10};
  if (argc > 1 && strcmp(argv[1], "--help") == 0) {
    puts(
        "jacobi [N] [BLOCK] [SWEEPS] [parallel|serial|interleaved] [forward|backward|shuffled]\n"
        "for example: jacobi 192 16 10 parallel shuffled");
    exit(0);
  }
  if (argc > 1) o.n = number(argv[1], "N", 1, 4096);
  if (argc > 2) o.block = number(argv[2], "BLOCK", 1, 4096);
  if (argc > 3) o.sweeps = number(argv[3], "SWEEPS", 0, 1000000);
  if (argc > 4) o.start = (Start)choice(argv[4], "start", starts);
  if (argc > 5) o.order = (Order)choice(argv[5], "order", orders);
  if (argc > 6) {
    fprintf(stderr, "jacobi: '%s' is one argument too many, five are accepted\n", argv[6]);
    exit(2);
  }
  if (o.n % o.block != 0 || (o.n / o.block + 2) > most_columns / (o.n / o.block + 2)) {
    fprintf(stderr, "jacobi: BLOCK %d does not divide N %d, or makes too many columns\n", o.block,
            o.n);
    exit(2);
  }
  return o;
}

int main(int argc, char** argv) {
  const Options o = read_options(argc, argv);
  Grid a = make_grid(o.n, o.block), b = make_grid(o.n, o.block);
  fill(&a, &b, o.start);
  const double seconds = smooth(&a, &b, &o);
  const double points = (double)o.n * o.n * o.n * o.sweeps;
  printf("jacobi n=%d block=%d sweeps=%d threads=%d seconds=%.6f mlups=%.1f\n", o.n, o.block,
         o.sweeps, omp_get_max_threads(), seconds, points / seconds * 1e-6);
  const long wrong = wrong_points(o.sweeps % 2 == 0 ? &a : &b, &o);
  printf("check wrong_points=%ld result=%s\n", wrong, wrong == 0 ? "ok" : "wrong");
  free_grid(&a);
  free_grid(&b);
  return wrong == 0 ? 0 : 1;
}
