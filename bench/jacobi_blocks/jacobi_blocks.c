// Sweeps of a six-point Jacobi solver by blocks, after Wittmann & Hager 2010.
//
//   jacobi_blocks [method=static|dynamic|tasks|queues] [init=static|static1|serial|submitted]
//          [order=ijk|kji] [sweeps=N] [ni=N] [nj=N] [nk=N] [bi=N] [bj=N] [domains=LIST]
//
// The settings are those of `lares simulate jacobi`; k is the inner index, and a block has all of
// it. Blocks are swept by a loop, by tasks of one thread, which submits them with jb (ijk) or ib
// (kji) running faster, or by such tasks that each take a block from a queue of their thread's
// domain (section 2.2). `submitted` initialises static parts of the order of submission. LIST
// tells the domain of CPU 0, 1, ... with commas between; without it the NUMA nodes are the domains.
//
// One JSON line tells the rate of the sweeps, as median and quantiles. Exit status 1 if a block was
// not swept exactly once a sweep or a site is wrong, 2 if the arguments are wrong. Inside
// `lares lab` the sweeps are a counted region.
#include "domains.h"

#include <lares/lab.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { line_doubles = 8 };

enum { method_static, method_dynamic, method_tasks, method_queues };
enum { init_static, init_static1, init_serial, init_submitted };
enum { order_ijk, order_kji };

static const char* const methods[] = {"static", "dynamic", "tasks", "queues", NULL};
static const char* const inits[] = {"static", "static1", "serial", "submitted", NULL};
static const char* const orders[] = {"ijk", "kji", NULL};

typedef struct {
  long sweeps, ni, nj, nk, bi, bj;
  int method, init, order;
  Domains domains;
} Options;

typedef struct {
  int home;   // domain of the thread that wrote it
  long runs;  // how often it was swept
} Block;

// Blocks of one domain that wait for a task. Written by the submitter and the tasks, under the
// lock.
typedef struct {
  omp_lock_t lock;
  long* blocks;  // room for all
  long first, end;
} Queue;

typedef struct {
  Options o;
  long rows, columns, count;  // of blocks
  size_t stride_j, stride_i;  // in doubles
  double* grids[2];
  Block* blocks;
  Queue* queues;  // by domain
  int domains;    // one more than the largest
  long local;     // sweeps of blocks in the domain of their home
} Solver;

// ---- the grid -----------------------------------------------------------------------------------

// Site 0 of each row starts a cache line, and one more line before it holds the boundary.
static size_t at(const Solver* s, long i, long j) {
  return (size_t)(i + 1) * s->stride_i + (size_t)(j + 1) * s->stride_j + line_doubles;
}

static double first_value(long i, long j, long k) { return (double)((i * 7 + j * 5 + k * 3) % 64); }

static double site(const double* from, size_t n, size_t stride_j, size_t stride_i) {
  return (1.0 / 8.0) *
         (((from[n - stride_i] + from[n + stride_i]) + (from[n - stride_j] + from[n + stride_j])) +
          (from[n - 1] + from[n + 1]));
}

static void sweep_row(const Solver* s, const double* restrict from, double* restrict to, size_t n) {
  const size_t sj = s->stride_j, si = s->stride_i;
  const size_t end = n + (size_t)s->o.nk;
#ifdef __SSE2__
  // Past the cache: what is written is not read before the next sweep.
  const __m128d factor = _mm_set1_pd(1.0 / 8.0);
  for (; n + 2 <= end; n += 2) {
    const __m128d i = _mm_add_pd(_mm_loadu_pd(from + n - si), _mm_loadu_pd(from + n + si));
    const __m128d j = _mm_add_pd(_mm_loadu_pd(from + n - sj), _mm_loadu_pd(from + n + sj));
    const __m128d k = _mm_add_pd(_mm_loadu_pd(from + n - 1), _mm_loadu_pd(from + n + 1));
    _mm_stream_pd(to + n, _mm_mul_pd(factor, _mm_add_pd(_mm_add_pd(i, j), k)));
  }
#endif
  for (; n < end; ++n) to[n] = site(from, n, sj, si);
}

static long least(long a, long b) { return a < b ? a : b; }

static void sweep_block(Solver* s, long block, int from) {
  const long i0 = block / s->columns * s->o.bi, j0 = block % s->columns * s->o.bj;
  for (long i = i0; i < least(i0 + s->o.bi, s->o.ni); ++i) {
    for (long j = j0; j < least(j0 + s->o.bj, s->o.nj); ++j) {
      sweep_row(s, s->grids[from], s->grids[1 - from], at(s, i, j));
    }
  }
#ifdef __SSE2__
  _mm_sfence();  // whoever waits for this block finds what it wrote
#endif
#pragma omp atomic
  s->blocks[block].runs += 1;
  if (own_domain(&s->o.domains) != s->blocks[block].home) return;
#pragma omp atomic
  s->local += 1;
}

static void write_block(Solver* s, long block) {
  const long i0 = block / s->columns * s->o.bi, j0 = block % s->columns * s->o.bj;
  for (long i = i0; i < least(i0 + s->o.bi, s->o.ni); ++i) {
    for (long j = j0; j < least(j0 + s->o.bj, s->o.nj); ++j) {
      const size_t n = at(s, i, j);
      for (long k = 0; k < s->o.nk; ++k) {
        s->grids[0][n + (size_t)k] = first_value(i, j, k);
        s->grids[1][n + (size_t)k] = -1;
      }
    }
  }
  s->blocks[block].home = own_domain(&s->o.domains);
}

// The block that is submitted as number `n`.
static long submitted(const Solver* s, long n) {
  return s->o.order == order_ijk ? n : n % s->rows * s->columns + n / s->rows;
}

static void write_first(Solver* s) {
  const long n = s->count;
  if (s->o.init == init_serial) {
    for (long b = 0; b < n; ++b) write_block(s, b);
  } else if (s->o.init == init_static1) {
#pragma omp parallel for schedule(static, 1)
    for (long b = 0; b < n; ++b) write_block(s, b);
  } else {
#pragma omp parallel for schedule(static)
    for (long b = 0; b < n; ++b) write_block(s, s->o.init == init_static ? b : submitted(s, b));
  }
}

// ---- sweeps -------------------------------------------------------------------------------------

static void enqueue(Queue* queue, long block) {
  omp_set_lock(&queue->lock);
  queue->blocks[queue->end++] = block;
  omp_unset_lock(&queue->lock);
}

// The oldest block of the queue, or -1.
static long dequeue(Queue* queue) {
  omp_set_lock(&queue->lock);
  const long block = queue->first < queue->end ? queue->blocks[queue->first++] : -1;
  omp_unset_lock(&queue->lock);
  return block;
}

// There are never fewer blocks in the queues than tasks that have not taken one: this finds one.
static void sweep_from_queues(Solver* s, int from) {
  long block = -1;
  for (int d = own_domain(&s->o.domains) % s->domains; block < 0; d = (d + 1) % s->domains) {
    block = dequeue(&s->queues[d]);
  }
  sweep_block(s, block, from);
}

static void one_sweep(Solver* s, int from) {
  const long n = s->count;
  if (s->o.method == method_static) {
#pragma omp parallel for schedule(static)
    for (long b = 0; b < n; ++b) sweep_block(s, b, from);
  } else if (s->o.method == method_dynamic) {
#pragma omp parallel for schedule(dynamic)
    for (long b = 0; b < n; ++b) sweep_block(s, b, from);
  } else {
    for (int d = 0; d < s->domains; ++d) s->queues[d].first = s->queues[d].end = 0;
#pragma omp parallel
#pragma omp single
    for (long b = 0; b < n; ++b) {
      const long block = submitted(s, b);
      if (s->o.method == method_queues) {
        enqueue(&s->queues[s->blocks[block].home], block);
#pragma omp task
        sweep_from_queues(s, from);
      } else {
#pragma omp task firstprivate(block)
        sweep_block(s, block, from);
      }
    }
  }
}

// ---- arguments ----------------------------------------------------------------------------------

static void refuse(const char* key, const char* value, const char* accepted) {
  fprintf(stderr, "jacobi_blocks: %s=%s is not %s\n", key, value, accepted);
  exit(2);
}

static long whole_number(const char* key, const char* value) {
  enum { most = 100000 };
  char* end = NULL;
  const long number = strtol(value, &end, 10);
  if (*value == '\0' || *end != '\0' || number < 1 || number > most) {
    refuse(key, value, "a whole number from 1 to 100000");
  }
  return number;
}

static int word(const char* key, const char* value, const char* const* words) {
  char accepted[128] = "one of";
  for (int i = 0; words[i] != NULL; ++i) {
    if (strcmp(value, words[i]) == 0) return i;
    strcat(strcat(accepted, " "), words[i]);  // four short words at most
  }
  refuse(key, value, accepted);
  return 0;
}

static void read_setting(const char* setting, Options* o) {
  const struct {
    const char* key;
    long* number;
  } numbers[] = {{"sweeps", &o->sweeps}, {"ni", &o->ni}, {"nj", &o->nj},
                 {"nk", &o->nk},         {"bi", &o->bi}, {"bj", &o->bj}};
  const struct {
    const char* key;
    int* choice;
    const char* const* words;
  } choices[] = {
      {"method", &o->method, methods}, {"init", &o->init, inits}, {"order", &o->order, orders}};
  const char* equals = strchr(setting, '=');
  const size_t length = equals == NULL ? 0 : (size_t)(equals - setting);
#define IS(name) (length == strlen(name) && strncmp(setting, name, length) == 0)
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
    if (!IS(numbers[i].key)) continue;
    *numbers[i].number = whole_number(numbers[i].key, equals + 1);
    return;
  }
  for (size_t i = 0; i < sizeof choices / sizeof *choices; ++i) {
    if (!IS(choices[i].key)) continue;
    *choices[i].choice = word(choices[i].key, equals + 1, choices[i].words);
    return;
  }
  if (IS("domains")) {
    if (!read_domains(equals + 1, &o->domains)) refuse("domains", equals + 1, domains_accepted);
    return;
  }
#undef IS
  fprintf(stderr, "jacobi_blocks: '%s' is no setting; --help lists them\n", setting);
  exit(2);
}

// ---- the program --------------------------------------------------------------------------------

static void prepare(Solver* s) {
  s->rows = (s->o.ni + s->o.bi - 1) / s->o.bi;
  s->columns = (s->o.nj + s->o.bj - 1) / s->o.bj;
  s->count = s->rows * s->columns;
  // The boundary before a row is in the line before it, that behind it in a line of its own.
  s->stride_j = (size_t)(line_doubles + (s->o.nk + line_doubles) / line_doubles * line_doubles);
  s->stride_i = s->stride_j * (size_t)(s->o.nj + 2);
  const double doubles = (double)s->stride_i * (double)(s->o.ni + 2) + line_doubles;
  for (int g = 0; g < 2; ++g) s->grids[g] = fresh("jacobi_blocks", doubles * sizeof(double));
  s->blocks = fresh("jacobi_blocks", (double)s->count * sizeof *s->blocks);
  write_first(s);
  for (long b = 0; b < s->count; ++b) {
    if (s->blocks[b].home >= s->domains) s->domains = s->blocks[b].home + 1;
  }
  s->queues = fresh("jacobi_blocks", (double)s->domains * sizeof *s->queues);
  for (int d = 0; d < s->domains; ++d) {
    omp_init_lock(&s->queues[d].lock);
    s->queues[d].blocks = fresh("jacobi_blocks", (double)s->count * sizeof(long));
  }
}

// Blocks that were not swept as often as asked, and sites that the last sweep left wrong.
static long count_wrong(const Solver* s) {
  const int last = (int)((s->o.sweeps - 1) % 2);  // the grid that the last sweep read
  long wrong = 0;
  for (long b = 0; b < s->count; ++b) wrong += s->blocks[b].runs != s->o.sweeps;
  for (long i = 0; i < s->o.ni; ++i) {
    for (long j = 0; j < s->o.nj; ++j) {
      const size_t n = at(s, i, j);
      for (size_t k = n; k < n + (size_t)s->o.nk; ++k) {
        wrong += s->grids[1 - last][k] != site(s->grids[last], k, s->stride_j, s->stride_i);
      }
    }
  }
  return wrong;
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void print_line(const Solver* s, double* mlups, long wrong) {
  const Options* o = &s->o;
  qsort(mlups, (size_t)o->sweeps, sizeof *mlups, ascending);
  printf("{\"method\":\"%s\",\"init\":\"%s\",\"order\":\"%s\",\"ni\":%ld,\"nj\":%ld,\"nk\":%ld,",
         methods[o->method], inits[o->init], orders[o->order], o->ni, o->nj, o->nk);
  printf("\"bi\":%ld,\"bj\":%ld,\"sweeps\":%ld,\"threads\":%d,\"mlups\":{", o->bi, o->bj, o->sweeps,
         omp_get_max_threads());
  const int quantiles[] = {5, 25, 50, 75, 95};
  for (size_t q = 0; q < sizeof quantiles / sizeof *quantiles; ++q) {
    const long index = (long)((double)(o->sweeps - 1) * quantiles[q] / 100.0 + 0.5);
    printf("%s\"%d\":%.6g", q == 0 ? "" : ",", quantiles[q], mlups[index]);
  }
  printf("},\"local\":%.4f,\"wrong\":%ld}\n",
         (double)s->local / ((double)s->count * (double)o->sweeps), wrong);
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "--help") == 0) {
    puts(
        "jacobi_blocks [method=static|dynamic|tasks|queues] "
        "[init=static|static1|serial|submitted]\n"
        "       [order=ijk|kji] [sweeps=N] [ni=N] [nj=N] [nk=N] [bi=N] [bj=N] [domains=LIST]\n"
        "for example: jacobi_blocks method=queues init=static1 order=kji sweeps=100 ni=240");
    return 0;
  }
  static Solver s = {.o = {.sweeps = 100, .ni = 240, .nj = 600, .nk = 600, .bi = 10, .bj = 10},
                     .domains = 1};
  for (int i = 1; i < argc; ++i) read_setting(argv[i], &s.o);
  prepare(&s);
  double* mlups = fresh("jacobi_blocks", (double)s.o.sweeps * sizeof *mlups);
  const double sites = (double)s.o.ni * (double)s.o.nj * (double)s.o.nk;
  lares_lab_region_begin("sweeps");
  for (long i = 0; i < s.o.sweeps; ++i) {
    const double start = omp_get_wtime();
    one_sweep(&s, (int)(i % 2));
    mlups[i] = sites / (omp_get_wtime() - start) / 1e6;
  }
  lares_lab_region_end("sweeps");
  const long wrong = count_wrong(&s);
  print_line(&s, mlups, wrong);
  return wrong == 0 ? 0 : 1;
}
