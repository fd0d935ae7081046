/* Tasks of one length, for what a trace costs: grains plain|depend NANOSECONDS [TASKS]. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double spins_per_nanosecond = 0;
static volatile double sink = 0;

static void spin(long count) {
  double x = 1;
  for (long i = 0; i < count; ++i) x = x * 1.0000001 + 0.5;
  sink = x;
}

/* So that a task looks at no clock. */
static void calibrate(void) {
  const long count = 20000000;
  const double start = seconds();
  spin(count);
  spins_per_nanosecond = (double)count / ((seconds() - start) * 1e9);
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: grains plain|depend NANOSECONDS [TASKS]\n");
    return 2;
  }
  const int depends = strcmp(argv[1], "depend") == 0;
  const double length = atof(argv[2]);
  const long tasks = argc > 3 ? atol(argv[3]) : (long)(2e8 / (length + 1000));
  calibrate();
  const long count = (long)(length * spins_per_nanosecond);
  enum { chains = 16 };
  static double data[chains][64];
  double start = 0;
  double end = 0;
#pragma omp parallel
#pragma omp single
  {
    start = seconds();
    for (long i = 0; i < tasks; ++i) {
      double* const chain = data[i % chains];
      if (depends) {
#pragma omp task depend(inout : chain[0 : 64])
        {
          chain[0] += 1;
          spin(count);
        }
      } else {
#pragma omp task
        spin(count);
      }
    }
#pragma omp taskwait
    end = seconds();
  }
  printf("tasks=%ld seconds=%.6f\n", tasks, end - start);
  return 0;
}
