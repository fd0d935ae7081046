/* Programs with one fault each, and the same without it: faults NAME [mended]. What `lares report`
   says of them is checked by diagnoses.py. */
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "faults.h"

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void work(double microseconds) {
  const double end = seconds() + microseconds * 1e-6;
  while (seconds() < end) {
  }
}

static long fib(int n, int depth, int cut_off) {
  if (n < 2) return n;
  if (depth >= cut_off) return fib(n - 1, depth, cut_off) + fib(n - 2, depth, cut_off);
  long a = 0;
  long b = 0;
#pragma omp task shared(a)
  a = fib(n - 1, depth + 1, cut_off);
#pragma omp task shared(b)
  b = fib(n - 2, depth + 1, cut_off);
#pragma omp taskwait
  return a + b;
}

static void too_fine(int mended) {
  long result = 0;
#pragma omp parallel
#pragma omp single
  result = fib(24, 0, mended ? 4 : 100);
  if (result != 46368) exit(1);
}

static void too_coarse(int mended) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < (mended ? 60 : 2); ++i) {
#pragma omp task
    work(mended ? 1000 : i == 0 ? 50000 : 10000);
  }
}

static void one_creator(int mended) {
#pragma omp parallel
  {
    if (mended) {
#pragma omp for schedule(static)
      for (int i = 0; i < 400; ++i) {
        work(100);
#pragma omp task
        work(50);
      }
    } else {
#pragma omp single
      for (int i = 0; i < 400; ++i) {
        work(100);
#pragma omp task
        work(50);
      }
    }
  }
}

static void serial(int mended) {
  for (int step = 0; step < 5; ++step) {
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 20; ++i) {
#pragma omp task
      work(500);
    }
    if (!mended) work(10000);
  }
}

/* Shares by thread number. */
static void imbalance(int mended) {
#pragma omp parallel
  {
#pragma omp task
    work(10);
    work(mended || omp_get_thread_num() == 0 ? 30000 : 5000);
  }
}

static void taskwaits(int mended) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 5; ++i) {
#pragma omp task
    work(mended ? 4000 : 12000);
    work(4000); /* until the other thread has taken it */
#pragma omp taskwait
  }
}

/* An odd number: where threads take what comes, a block goes to another one each time. */
enum { blocks = 33, block_doubles = 1 << 15, sweeps = 20 };

static void far_from_data(int mended) {
  (void)mended; /* the policy does it */
  static double data[blocks][block_doubles];
#pragma omp parallel
#pragma omp single
  for (int s = 0; s < sweeps; ++s) {
    for (int b = 0; b < blocks; ++b) {
      double* const block = data[b];
#pragma omp task depend(inout : block[0 : block_doubles])
      {
        block[0] += 1;
        work(100);
      }
    }
  }
}

/* Nothing of its own: how it is started is the fault. */
static void plain(int mended) {
  (void)mended;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; ++i) {
#pragma omp task
    work(200);
  }
}

/* One task makes all others. */
static void nested(int mended) {
  (void)mended;
#pragma omp parallel
#pragma omp single
#pragma omp task
  {
    for (int i = 0; i < 400; ++i) {
#pragma omp task
      work(50);
    }
#pragma omp taskwait
  }
}

/* Runs a part that is in a library of its own: which compiler built that is the fault. */
static void several_runtimes(int mended) {
  const char* const path = getenv(mended ? "FAULTS_SAME_PART" : "FAULTS_OTHER_PART");
  void* const library = path == NULL ? NULL : dlopen(path, RTLD_NOW);
  void (*const part)(int*) = library == NULL ? NULL : (void (*)(int*))dlsym(library, "part");
  int sum = 0;
  if (part == NULL) exit(1);
  plain(mended);
  part(&sum);
  if (sum != 45) exit(1);
}

static const struct {
  const char* name;
  void (*run)(int mended);
} faults[] = {
    {"too-fine", too_fine},
    {"too-coarse", too_coarse},
    {"one-creator", one_creator},
    {"serial", serial},
    {"imbalance", imbalance},
    {"taskwaits", taskwaits},
    {"far-from-data", far_from_data},
    {"plain", plain},
    {"nested", nested},
    {"data-in-one-domain", data_in_one_domain},
    {"false-homes", false_homes},
    {"saturated", saturated},
    {"several-runtimes", several_runtimes},
};

int main(int argc, char** argv) {
  const int mended = argc > 2 && strcmp(argv[2], "mended") == 0;
  for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); ++i) {
    if (argc > 1 && strcmp(argv[1], faults[i].name) == 0) {
      faults[i].run(mended);
      return 0;
    }
  }
  fprintf(stderr, "usage: faults NAME [mended]\n");
  return 2;
}
