// Load balancing of packages that grow linearly, after Schmidl 2016, chapter 4.
//
//   load_balance [PACKAGES] [MIB] [REPEAT] [static|dynamic|tasks] [numa|l2]
//
// Package i holds i + 1 parts of MIB in all. A static loop writes the packages first, so each has a
// home: the domain of the thread that wrote it. Then they are summed up, each once per round, by
// the method. One JSON line tells each thread's time split by the packages' homes.
//
// Exit status 1 if a package was not summed up exactly once per round or its sum is wrong, 2 if the
// arguments are wrong. Inside `lares lab` the rounds are a counted region.
#define _GNU_SOURCE
#include <lares/lab.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_domains = 1024, line_bytes = 64 };

typedef enum { method_static, method_dynamic, method_tasks } Method;

typedef struct {
  int packages, mebibytes, repeat;
  Method method;
  int level;  // 0: numa, 1: l2
} Options;

typedef struct {
  double* values;
  size_t count;
  int home;   // domain of the thread that wrote it
  int runs;   // by whoever sums it up, and so by one thread at a time
  int wrong;  // sums that were not as expected
} Package;

static const char* const methods[] = {"static", "dynamic", "tasks", NULL};
static const char* const levels[] = {"numa", "l2", NULL};

// The domain of the CPU that the caller runs on: its NUMA node, or the first CPU of its L2 cache.
static int own_domain(int level) {
  unsigned cpu = 0, node = 0;
  if (getcpu(&cpu, &node) != 0) return 0;
  if (level == 0) return node < most_domains ? (int)node : 0;
  char path[128];
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cache/index2/shared_cpu_list", cpu);
  unsigned first = cpu;
  FILE* file = fopen(path, "r");
  if (file != NULL) {
    if (fscanf(file, "%u", &first) != 1) first = cpu;
    fclose(file);
  }
  return first < most_domains ? (int)first : 0;
}

static double value_of(int package) { return (double)(package % 7 + 1); }

static void write_first(Package* all, const Options* o) {
#pragma omp parallel
  {
    const int domain = own_domain(o->level);
#pragma omp for schedule(static)
    for (int i = 0; i < o->packages; ++i) {
      for (size_t k = 0; k < all[i].count; ++k) all[i].values[k] = value_of(i);
      all[i].home = domain;
    }
  }
}

// `seconds` has most_domains entries per thread, which only that thread writes.
static void sum_up(Package* all, int i, double* seconds) {
  Package* p = &all[i];
  const double start = omp_get_wtime();
  double sum = 0;
  for (size_t k = 0; k < p->count; ++k) sum += p->values[k];
  seconds[(size_t)omp_get_thread_num() * most_domains + (size_t)p->home] += omp_get_wtime() - start;
  p->runs += 1;
  p->wrong += sum != value_of(i) * (double)p->count;  // whole numbers: exact
}

static void one_round(Package* all, const Options* o, double* seconds) {
  const int n = o->packages;
  if (o->method == method_static) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; ++i) sum_up(all, i, seconds);
  } else if (o->method == method_dynamic) {
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < n; ++i) sum_up(all, i, seconds);
  } else {
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < n; ++i) {
#pragma omp task firstprivate(i)
      sum_up(all, i, seconds);
    }
  }
}

static int number(const char* text, const char* what, long least, long most) {
  char* end = NULL;
  const long value = strtol(text, &end, 10);
  if (*text == '\0' || *end != '\0' || value < least || value > most) {
    fprintf(stderr, "load_balance: %s '%s' is not a whole number from %ld to %ld\n", what, text,
            least, most);
    exit(2);
  }
  return (int)value;
}

static int choice(const char* text, const char* what, const char* const* words) {
  for (int i = 0; words[i] != NULL; ++i) {
    if (strcmp(text, words[i]) == 0) return i;
  }
  fprintf(stderr, "load_balance: %s '%s' is not one of:", what, text);
  for (int i = 0; words[i] != NULL; ++i) fprintf(stderr, " %s", words[i]);
  fputc('\n', stderr);
  exit(2);
}

static void* allocate(size_t bytes) {
  void* memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  if (memory == NULL) {
    fprintf(stderr, "load_balance: no memory for %zu bytes\n", bytes);
    exit(1);
  }
  return memory;
}

static void print_line(const Options* o, const double* seconds, int threads, double total,
                       long wrong) {
  double most = 0, sum = 0;
  printf("{\"method\":\"%s\",\"level\":\"%s\",\"threads\":%d,\"packages\":%d,\"rounds\":%d,",
         methods[o->method], levels[o->level], threads, o->packages, o->repeat);
  printf("\"seconds\":%.6f,\"busy\":[", total);
  for (int t = 0; t < threads; ++t) {
    double own = 0;
    int shown = 0;
    printf("%s{", t == 0 ? "" : ",");
    for (int d = 0; d < most_domains; ++d) {
      const double s = seconds[(size_t)t * most_domains + (size_t)d];
      if (s > 0) printf("%s\"%d\":%.6f", shown++ == 0 ? "" : ",", d, s);
      own += s;
    }
    printf("}");
    if (own > most) most = own;
    sum += own;
  }
  printf("],\"imbalance\":%.4f,\"wrong\":%ld}\n", sum > 0 ? most * threads / sum : 1, wrong);
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "--help") == 0) {
    puts(
        "load_balance [PACKAGES] [MIB] [REPEAT] [static|dynamic|tasks] [numa|l2]\n"
        "for example: load_balance 256 64 5 dynamic l2");
    return 0;
  }
  Options o = {.packages = 256, .mebibytes = 64, .repeat = 5};
  if (argc > 1) o.packages = number(argv[1], "PACKAGES", 1, 20000);
  if (argc > 2) o.mebibytes = number(argv[2], "MIB", 1, 1000000);
  if (argc > 3) o.repeat = number(argv[3], "REPEAT", 1, 1000000);
  if (argc > 4) o.method = (Method)choice(argv[4], "method", methods);
  if (argc > 5) o.level = choice(argv[5], "level", levels);
  if (argc > 6) {
    fprintf(stderr, "load_balance: '%s' is one argument too many, five are accepted\n", argv[6]);
    return 2;
  }
  const int threads = omp_get_max_threads();
  Package* all = allocate((size_t)o.packages * sizeof *all);
  const double parts = 0.5 * o.packages * (o.packages + 1.0);
  for (int i = 0; i < o.packages; ++i) {
    const double lines = (double)o.mebibytes * (1 << 20) / line_bytes * (i + 1) / parts;
    const size_t bytes = ((size_t)lines + 1) * line_bytes;
    all[i] = (Package){.values = allocate(bytes), .count = bytes / sizeof(double)};
  }
  double* seconds = allocate((size_t)threads * most_domains * sizeof *seconds);
  memset(seconds, 0, (size_t)threads * most_domains * sizeof *seconds);
  write_first(all, &o);
  lares_lab_region_begin("rounds");
  const double start = omp_get_wtime();
  for (int r = 0; r < o.repeat; ++r) one_round(all, &o, seconds);
  const double total = omp_get_wtime() - start;
  lares_lab_region_end("rounds");
  long wrong = 0;
  for (int i = 0; i < o.packages; ++i) {
    wrong += all[i].wrong + labs((long)all[i].runs - o.repeat);
    free(all[i].values);
  }
  print_line(&o, seconds, threads, total, wrong);
  free(all);
  free(seconds);
  return wrong == 0 ? 0 : 1;
}
