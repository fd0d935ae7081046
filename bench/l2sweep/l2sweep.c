// A repeated sweep over blocks that together fit the L2 caches of the cores that work on them.
//
//   l2sweep [--bytes-per-thread BYTES] [--block BYTES] [--sweeps N] [--start serial|parallel]
//           [--seed N]
//
// Each sweep is one task per block, created by one thread in an order that is new in each sweep,
// so that a block comes back to the core that holds it by decision and not by luck. A task names
// its whole block twice, in `depend` and in `affinity`. Prints the time of a sweep (the median
// over the sweeps) and, by the program's own count, the share of blocks that ran on the thread and
// on the core where they ran the sweep before, and the share that another thread than the creator
// ran: without that, a creator that runs everything itself would look perfectly local.
//
// Every task adds one to each value of its block, so at the end every value must be the number of
// sweeps. Exit status 1 if one is not, 2 after a wrong argument.
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { page_bytes = 4096, unmeasured_sweeps = 10 };

typedef struct {
  long bytes_per_thread, block_bytes, sweeps, seed;
  int parallel_start;
} Options;

typedef struct {
  double* values;
  size_t count;
  // Where the last sweep ran it. Only the block's own task of a sweep writes them, and the
  // taskwait between sweeps orders those.
  int thread, core;
  int same_thread, same_core;  // how often a sweep ran it where the one before did
  int away;                    // how often another thread than the creator ran it
} Block;

typedef struct {
  Block* blocks;
  int* order;
  int count;
  uint64_t random;
} Sweep;

static void* allocate(size_t bytes) {
  void* memory = aligned_alloc(page_bytes, (bytes + page_bytes - 1) / page_bytes * page_bytes);
  if (memory == NULL) {
    fprintf(stderr, "l2sweep: no memory for %zu bytes\n", bytes);
    exit(1);
  }
  return memory;
}

static void start_block(Block* block) {
  for (size_t k = 0; k < block->count; ++k) block->values[k] = 0.0;
}

static Sweep make_sweep(const Options* o) {
  const int count = (int)(o->bytes_per_thread * omp_get_max_threads() / o->block_bytes);
  Sweep s = {.count = count > 0 ? count : 1, .random = (uint64_t)o->seed};
  s.blocks = allocate((size_t)s.count * sizeof(Block));
  s.order = allocate((size_t)s.count * sizeof(int));
  for (int k = 0; k < s.count; ++k) {
    double* values = allocate((size_t)o->block_bytes);
    s.blocks[k] = (Block){.values = values, .count = (size_t)o->block_bytes / sizeof(double)};
    s.blocks[k].thread = s.blocks[k].core = -1;
    s.order[k] = k;
  }
#pragma omp parallel for schedule(static) if (o->parallel_start)
  for (int k = 0; k < s.count; ++k) start_block(&s.blocks[k]);
  return s;
}

static uint64_t next_random(uint64_t* state) {
  uint64_t x = *state += 0x9e3779b97f4a7c15ULL;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
  return x ^ x >> 31;
}

static void shuffle(Sweep* s) {
  for (int k = s->count - 1; k > 0; --k) {
    const int other = (int)(next_random(&s->random) % (uint64_t)(k + 1));
    const int kept = s->order[k];
    s->order[k] = s->order[other];
    s->order[other] = kept;
  }
}

static void add_one(double* values, size_t count) {
  for (size_t k = 0; k < count; ++k) values[k] += 1.0;
}

static void note_place(Block* block, int creator) {
  const int thread = omp_get_thread_num(), core = sched_getcpu();
  block->away += thread != creator;
  block->same_thread += block->thread == thread;
  block->same_core += block->core == core;
  block->thread = thread;
  block->core = core;
}

static double run_sweep(const Sweep* s) {
  const double start = omp_get_wtime();
  const int creator = omp_get_thread_num();
  for (int k = 0; k < s->count; ++k) {
    Block* block = &s->blocks[s->order[k]];
    double* values = block->values;
    const size_t count = block->count;
#pragma omp task depend(inout : values[0 : count]) affinity(values[0 : count])
    {
      add_one(values, count);
      note_place(block, creator);
    }
  }
#pragma omp taskwait
  return omp_get_wtime() - start;
}

static void forget_counts(Sweep* s) {
  for (int k = 0; k < s->count; ++k)
    s->blocks[k].same_thread = s->blocks[k].same_core = s->blocks[k].away = 0;
}

static void run_sweeps(Sweep* s, double* seconds, long sweeps) {
#pragma omp parallel
#pragma omp single
  for (long k = -unmeasured_sweeps; k < sweeps; ++k) {
    if (k == 0) forget_counts(s);
    shuffle(s);
    const double took = run_sweep(s);
    if (k >= 0) seconds[k] = took;
  }
}

static int is_right(const Sweep* s, long sweeps) {
  const double expected = (double)(sweeps + unmeasured_sweeps);
  for (int k = 0; k < s->count; ++k) {
    const Block* block = &s->blocks[k];
    for (size_t j = 0; j < block->count; ++j) {
      if (block->values[j] != expected) return 0;
    }
  }
  return 1;
}

static int compare(const void* left, const void* right) {
  const double a = *(const double*)left, b = *(const double*)right;
  return (a > b) - (a < b);
}

static void report(const Sweep* s, double* seconds, const Options* o) {
  double same_thread = 0.0, same_core = 0.0, away = 0.0;
  for (int k = 0; k < s->count; ++k) {
    same_thread += s->blocks[k].same_thread;
    same_core += s->blocks[k].same_core;
    away += s->blocks[k].away;
  }
  qsort(seconds, (size_t)o->sweeps, sizeof seconds[0], compare);
  const double visits = (double)s->count * (double)o->sweeps;
  printf(
      "l2sweep threads=%d blocks=%d block_bytes=%ld sweeps=%ld us_per_sweep=%.3f min=%.3f "
      "same_thread=%.4f same_core=%.4f away=%.4f\n",
      omp_get_max_threads(), s->count, o->block_bytes, o->sweeps, seconds[o->sweeps / 2] * 1e6,
      seconds[0] * 1e6, same_thread / visits, same_core / visits, away / visits);
}

static long read_number(const char* option, const char* text, long least) {
  char* end = NULL;
  const long value = strtol(text, &end, 10);
  if (*text == '\0' || *end != '\0' || value < least || value > 1L << 40) {
    fprintf(stderr, "l2sweep: %s '%s' is not a whole number from %ld up\n", option, text, least);
    exit(2);
  }
  return value;
}

static void set_option(Options* o, const char* option, const char* value) {
  if (strcmp(option, "--bytes-per-thread") == 0) {
    o->bytes_per_thread = read_number(option, value, page_bytes);
  } else if (strcmp(option, "--block") == 0) {
    o->block_bytes = read_number(option, value, (long)sizeof(double));
  } else if (strcmp(option, "--sweeps") == 0) {
    o->sweeps = read_number(option, value, 1);
  } else if (strcmp(option, "--seed") == 0) {
    o->seed = read_number(option, value, 0);
  } else if (strcmp(option, "--start") == 0 &&
             (strcmp(value, "serial") == 0 || strcmp(value, "parallel") == 0)) {
    o->parallel_start = strcmp(value, "parallel") == 0;
  } else {
    fprintf(stderr,
            "l2sweep: '%s %s' is not accepted; accepted are --bytes-per-thread BYTES, "
            "--block BYTES, --sweeps N, --start serial|parallel, --seed N\n",
            option, value);
    exit(2);
  }
}

static Options read_options(int argc, char** argv) {
  Options o = {.bytes_per_thread = 1L << 20,
               .block_bytes = 1L << 16,
               .sweeps = 500,
               .seed = 1,
               .parallel_start = 1};
  if (argc > 1 && strcmp(argv[1], "--help") == 0) {
    puts(
        "l2sweep [--bytes-per-thread BYTES] [--block BYTES] [--sweeps N]\n"
        "        [--start serial|parallel] [--seed N]\n"
        "for example: l2sweep --bytes-per-thread 1048576 --block 65536 --sweeps 500");
    exit(0);
  }
  for (int k = 1; k < argc; k += 2) set_option(&o, argv[k], k + 1 < argc ? argv[k + 1] : "");
  return o;
}

int main(int argc, char** argv) {
  const Options o = read_options(argc, argv);
  Sweep s = make_sweep(&o);
  double* seconds = allocate((size_t)o.sweeps * sizeof(double));
  run_sweeps(&s, seconds, o.sweeps);
  const int right = is_right(&s, o.sweeps);
  if (right) {
    report(&s, seconds, &o);
  } else {
    fputs("l2sweep: the values at the end are wrong\n", stderr);
  }
  for (int k = 0; k < s.count; ++k) free(s.blocks[k].values);
  free(s.blocks);
  free(s.order);
  free(seconds);
  return right ? 0 : 1;
}
