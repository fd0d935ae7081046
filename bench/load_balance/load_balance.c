// Load balancing of work packages that grow linearly, after Schmidl 2016, 4.1.
//
//   load_balance [packages=N] [gb=SIZE] [times=N] [method=static|dynamic|tasks|depend]
//   [domains=LIST]
//
// The workload is that of `lares simulate balance`: a package is a vector addition, its three
// vectors have SIZE * (i + 0.5) / (N * N / 2) bytes. A static loop writes the packages first, so
// each has a home: the domain of the thread that wrote it. Then all are added up, once each time,
// by the method: a loop, tasks, or tasks whose `depend` names the package. LIST tells the domain of
// CPU 0, 1, ... with commas between; without it, the NUMA nodes are the domains. One JSON line
// tells each thread's time split by the packages' homes.
//
// Exit status 1 if a package was not added up exactly as often as asked or a sum is wrong, 2 if the
// arguments are wrong. Inside `lares lab` the additions are a counted region.
#include "domains.h"

#include <lares/lab.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { line_bytes = 64 };

typedef enum { method_static, method_dynamic, method_tasks, method_depend } Method;

typedef struct {
  long packages, times;
  double gb;
  Method method;
  Domains domains;
} Options;

// The three vectors are a, a + stride and a + 2 * stride: one home for all.
typedef struct {
  double* a;
  size_t count, stride;
  int home;   // domain of the thread that wrote it
  long runs;  // how often it was added up
} Package;

// What one thread did; only that thread writes it.
typedef struct {
  int domain;                    // where it wrote its packages
  double local_bytes, bytes;     // local: added up in the domain of their home
  double busy[most_domains];     // CPU seconds by home
  double elapsed[most_domains];  // the same on the clock
} Thread;

static const char* const methods[] = {"static", "dynamic", "tasks", "depend", NULL};

static double seconds_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Whole numbers, so that sums are exact.
static double first_term(long package, size_t k) { return (double)(package % 7 + (long)(k % 5)); }
static double second_term(long package) { return (double)(package % 3 + 1); }

static void write_first(Package* all, Thread* threads, const Options* o) {
#pragma omp parallel
  {
    const int domain = own_domain(&o->domains);
    threads[omp_get_thread_num()].domain = domain;
#pragma omp for schedule(static)
    for (long i = 0; i < o->packages; ++i) {
      Package* p = &all[i];
      for (size_t k = 0; k < p->count; ++k) {
        p->a[k] = first_term(i, k);
        p->a[p->stride + k] = second_term(i);
        p->a[2 * p->stride + k] = -1;
      }
      p->home = domain;
    }
  }
}

static void add_vectors(const double* restrict a, const double* restrict b, double* restrict c,
                        size_t count) {
  for (size_t k = 0; k < count; ++k) c[k] = a[k] + b[k];
}

static void add_up(Package* p, Thread* threads, const Options* o) {
  Thread* own = &threads[omp_get_thread_num()];
  const double clock = seconds_of(CLOCK_MONOTONIC);
  const double cpu = seconds_of(CLOCK_THREAD_CPUTIME_ID);
  add_vectors(p->a, p->a + p->stride, p->a + 2 * p->stride, p->count);
  own->busy[p->home] += seconds_of(CLOCK_THREAD_CPUTIME_ID) - cpu;
  own->elapsed[p->home] += seconds_of(CLOCK_MONOTONIC) - clock;
  const double bytes = 3.0 * sizeof(double) * (double)p->count;
  own->bytes += bytes;
  if (own_domain(&o->domains) == p->home) own->local_bytes += bytes;
#pragma omp atomic
  p->runs += 1;
}

// Tasks come from whoever wrote the data (4.3.3).
static void create_tasks(Package* all, Thread* threads, const Options* o) {
#pragma omp parallel for schedule(static)
  for (long i = 0; i < o->packages; ++i) {
    Package* p = &all[i];
    if (o->method == method_tasks) {
#pragma omp task firstprivate(p)
      add_up(p, threads, o);
    } else {
      double* vectors = p->a;
      const size_t all_three = 3 * p->stride;
#pragma omp task firstprivate(p) depend(inout : vectors[0 : all_three])
      add_up(p, threads, o);
    }
  }
}

static void one_time(Package* all, Thread* threads, const Options* o) {
  const long n = o->packages;
  if (o->method == method_static) {
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; ++i) add_up(&all[i], threads, o);
  } else if (o->method == method_dynamic) {
#pragma omp parallel for schedule(dynamic)
    for (long i = 0; i < n; ++i) add_up(&all[i], threads, o);
  } else {
    create_tasks(all, threads, o);
  }
}

static void refuse(const char* key, const char* value, const char* accepted) {
  fprintf(stderr, "load_balance: %s=%s is not %s\n", key, value, accepted);
  exit(2);
}

static long whole_number(const char* key, const char* value, long most) {
  char* end = NULL;
  const long number = strtol(value, &end, 10);
  char accepted[64];
  snprintf(accepted, sizeof accepted, "a whole number from 1 to %ld", most);
  if (*value == '\0' || *end != '\0' || number < 1 || number > most) refuse(key, value, accepted);
  return number;
}

static double size_in_gb(const char* value) {
  char* end = NULL;
  const double number = strtod(value, &end);
  // Written so that it refuses "nan", too.
  if (*value == '\0' || *end != '\0' || !(number >= 1e-6 && number <= 1e6)) {
    refuse("gb", value, "a size from 0.000001 to 1000000");
  }
  return number;
}

static Method method_named(const char* value) {
  for (int i = 0; methods[i] != NULL; ++i) {
    if (strcmp(value, methods[i]) == 0) return (Method)i;
  }
  refuse("method", value, "one of static, dynamic, tasks, depend");
  return method_static;
}

static void read_setting(const char* word, Options* o) {
  const char* equals = strchr(word, '=');
  const size_t length = equals == NULL ? 0 : (size_t)(equals - word);
  const char* value = word + length + 1;
  if (length == 8 && strncmp(word, "packages", length) == 0) {
    o->packages = whole_number("packages", value, 50000000);
  } else if (length == 2 && strncmp(word, "gb", length) == 0) {
    o->gb = size_in_gb(value);
  } else if (length == 5 && strncmp(word, "times", length) == 0) {
    o->times = whole_number("times", value, 1000000);
  } else if (length == 6 && strncmp(word, "method", length) == 0) {
    o->method = method_named(value);
  } else if (length == 7 && strncmp(word, "domains", length) == 0) {
    if (!read_domains(value, &o->domains)) refuse("domains", value, domains_accepted);
  } else {
    fprintf(stderr, "load_balance: '%s' is none of packages=, gb=, times=, method=, domains=\n",
            word);
    exit(2);
  }
}

// All packages beside each other, as pages of their own: a page has one home.
static Package* make_packages(const Options* o) {
  enum { page = 4096 };
  const double n = (double)o->packages;
  Package* all = fresh("load_balance", n * sizeof *all);
  double whole = 0;
  for (long i = 0; i < o->packages; ++i) {
    const double size = o->gb * 1e9 * ((double)i + 0.5) / (n * n / 2);
    Package* p = &all[i];
    p->count = (size_t)(size / (3 * sizeof(double))) + 1;
    const size_t lines = (p->count * sizeof(double) + line_bytes - 1) / line_bytes;
    p->stride = lines * line_bytes / sizeof(double);
    whole += (double)((3 * lines * line_bytes + page - 1) / page * page);
  }
  char* memory = fresh("load_balance", whole);
  for (long i = 0; i < o->packages; ++i) {
    all[i].a = (double*)memory;
    memory += (3 * all[i].stride * sizeof(double) + page - 1) / page * page;
  }
  return all;
}

static long count_wrong(const Package* all, const Options* o) {
  long wrong = 0;
  for (long i = 0; i < o->packages; ++i) {
    const Package* p = &all[i];
    size_t right = 0;
    for (size_t k = 0; k < p->count; ++k) {
      right += p->a[2 * p->stride + k] == first_term(i, k) + second_term(i);
    }
    wrong += p->runs != o->times || right != p->count;
  }
  return wrong;
}

// Prints the times of each thread by home; answers the longest thread's over the mean.
static double print_times(const char* name, const Thread* threads, int count, int elapsed) {
  double most = 0, sum = 0;
  printf("\"%s\":[", name);
  for (int t = 0; t < count; ++t) {
    const double* seconds = elapsed ? threads[t].elapsed : threads[t].busy;
    double own = 0;
    int shown = 0;
    printf("%s{", t == 0 ? "" : ",");
    for (int d = 0; d < most_domains; ++d) {
      if (seconds[d] > 0) printf("%s\"%d\":%.9f", shown++ == 0 ? "" : ",", d, seconds[d]);
      own += seconds[d];
    }
    printf("}");
    if (own > most) most = own;
    sum += own;
  }
  printf("],");
  return sum > 0 ? most * count / sum : 1;
}

static void print_line(const Options* o, const Thread* threads, int count, double total,
                       long wrong) {
  double local = 0, bytes = 0;
  printf("{\"method\":\"%s\",\"packages\":%ld,\"gb\":%g,\"times\":%ld,\"threads\":%d,",
         methods[o->method], o->packages, o->gb, o->times, count);
  printf("\"seconds\":%.9f,\"domains\":[", total / (double)o->times);
  for (int t = 0; t < count; ++t) {
    printf("%s%d", t == 0 ? "" : ",", threads[t].domain);
    local += threads[t].local_bytes;
    bytes += threads[t].bytes;
  }
  printf("],");
  const double imbalance = print_times("busy", threads, count, 0);
  const double elapsed = print_times("elapsed", threads, count, 1);
  printf("\"imbalance\":%.4f,\"imbalance_elapsed\":%.4f,\"local\":%.4f,\"wrong\":%ld}\n", imbalance,
         elapsed, bytes > 0 ? local / bytes : 1, wrong);
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "--help") == 0) {
    puts(
        "load_balance [packages=N] [gb=SIZE] [times=N] [method=static|dynamic|tasks|depend] "
        "[domains=LIST]\n"
        "for example: load_balance packages=3840 gb=0.5 times=5 method=dynamic domains=0,1");
    return 0;
  }
  static Options o = {.packages = 3840, .gb = 0.5, .times = 5};
  for (int i = 1; i < argc; ++i) read_setting(argv[i], &o);
  const int count = omp_get_max_threads();
  Package* all = make_packages(&o);
  Thread* threads = fresh("load_balance", (double)count * sizeof *threads);
  write_first(all, threads, &o);
  lares_lab_region_begin("additions");
  const double start = seconds_of(CLOCK_MONOTONIC);
  for (long r = 0; r < o.times; ++r) one_time(all, threads, &o);
  const double total = seconds_of(CLOCK_MONOTONIC) - start;
  lares_lab_region_end("additions");
  const long wrong = count_wrong(all, &o);
  print_line(&o, threads, count, total, wrong);
  return wrong == 0 ? 0 : 1;
}
