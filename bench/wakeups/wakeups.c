// How soon a burst of tasks gets sleeping threads to work: one task for each thread. The creator
// rests long enough for the others to fall asleep, makes the burst, and the last task to begin
// says how long it took. No task ends before all have begun, so no thread can run two.
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { most_bursts = 100000, most_rest_us = 1000000 };

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void rest(long us) {
  struct timespec left = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

// Microseconds from the first task's creation until the last one began.
static double burst(int tasks) {
  static atomic_int begun;
  static _Atomic double last;
  atomic_store(&begun, 0);
  const double start = now_us();
  for (int k = 0; k < tasks; ++k) {
#pragma omp task default(none) firstprivate(tasks) shared(begun, last)
    {
      const double at = now_us();
      if (atomic_fetch_add(&begun, 1) + 1 == tasks) atomic_store(&last, at);
      while (atomic_load(&begun) < tasks) {
      }
    }
  }
#pragma omp taskwait
  return atomic_load(&last) - start;
}

static int compare(const void* left, const void* right) {
  const double a = *(const double*)left, b = *(const double*)right;
  return (a > b) - (a < b);
}

static long read_number(const char* text, long most, const char* what) {
  char* end = NULL;
  const long value = strtol(text, &end, 10);
  if (*text == '\0' || *end != '\0' || value < 1 || value > most) {
    fprintf(stderr, "wakeups: %s '%s' is not a number from 1 to %ld\n", what, text, most);
    exit(2);
  }
  return value;
}

int main(int argc, char** argv) {
  const long bursts = argc > 1 ? read_number(argv[1], most_bursts, "bursts") : 200;
  const long rest_us = argc > 2 ? read_number(argv[2], most_rest_us, "rest in microseconds") : 5000;
  double* const took = malloc((size_t)bursts * sizeof *took);
  if (took == NULL) return 1;
  int threads = 0;
#pragma omp parallel
#pragma omp single
  {
    threads = omp_get_num_threads();
    for (long k = 0; k < bursts; ++k) {
      rest(rest_us);
      took[k] = burst(threads);
    }
  }
  qsort(took, (size_t)bursts, sizeof *took, compare);
  printf("threads=%d bursts=%ld rest_us=%ld median_us=%.1f p99_us=%.1f most_us=%.1f\n", threads,
         bursts, rest_us, took[bursts / 2], took[(bursts - 1) * 99 / 100], took[bursts - 1]);
  free(took);
  return 0;
}
