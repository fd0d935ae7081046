#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { most_batches = 1024, fewest_batches = 5 };

typedef struct {
  double median, least, mean;  // nanoseconds per operation
  int batches;
  long operations;
} Measurement;

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int compare(const void* left, const void* right) {
  const double a = *(const double*)left, b = *(const double*)right;
  return (a > b) - (a < b);
}

// Runs one batch. Answers its nanoseconds and sets `done`, which is -1 after a wrong result.
static double run_batch(const Row* row, long* done) {
  const double start = now_ns();
  *done = row->body(row->operations);
  return now_ns() - start;
}

// Threads start, memory is new and the operating system has not spread the threads yet: batches
// that do not count. Answers 0 after a wrong result.
static int warm_up(const Row* row, double least_ns) {
  double total = 0.0;
  for (int batch = 0; batch < 2 || (total < least_ns && batch < most_batches); ++batch) {
    long done = 0;
    total += run_batch(row, &done);
    if (done < 0) return 0;
  }
  return 1;
}

// Batches until `min_ns` have passed in them. A batch that the operating system disturbed must
// not colour the result, so it is the median that counts.
static int measure(const Row* row, double min_ns, Measurement* result) {
  double samples[most_batches];
  double total = 0.0;
  *result = (Measurement){0};
  if (!warm_up(row, min_ns / 5.0)) return 0;
  while (result->batches < most_batches && (total < min_ns || result->batches < fewest_batches)) {
    long done = 0;
    const double took = run_batch(row, &done);
    if (done < 0) return 0;
    samples[result->batches++] = took / (double)done;
    result->operations += done;
    total += took;
  }
  qsort(samples, (size_t)result->batches, sizeof samples[0], compare);
  result->median = samples[result->batches / 2];
  result->least = samples[0];
  result->mean = total / (double)result->operations;
  return 1;
}

static const Row* find_row(const Row* rows, int count, const char* name) {
  for (int k = 0; k < count; ++k) {
    if (strcmp(rows[k].name, name) == 0) return &rows[k];
  }
  return NULL;
}

static void list_rows(FILE* to, const Row* rows, int count) {
  for (int k = 0; k < count; ++k) fprintf(to, "%s%s", k ? ", " : "", rows[k].name);
  fputc('\n', to);
}

static int measure_and_print(const Row* row, double min_ms, int threads) {
  Measurement m;
  if (!measure(row, min_ms * 1e6, &m)) {
    fprintf(stderr, "overhead: row %s computed a wrong result\n", row->name);
    return 0;
  }
  printf("row=%s threads=%d ns=%.3f min=%.3f mean=%.3f batches=%d operations=%ld\n", row->name,
         threads, m.median, m.least, m.mean, m.batches, m.operations);
  fflush(stdout);
  return 1;
}

static double read_min_ms(const char* text) {
  char* end = NULL;
  const double value = strtod(text, &end);
  if (*text == '\0' || *end != '\0' || !(value > 0.0 && value <= 60000.0)) {
    fprintf(stderr, "overhead: --min-ms '%s' is not a number above 0 and up to 60000\n", text);
    exit(2);
  }
  return value;
}

int measure_rows(int argc, char** argv, const Row* rows, int count, int threads) {
  double min_ms = 50.0;
  int first = 1;
  if (argc > 1 && strcmp(argv[1], "--help") == 0) {
    printf("%s [--min-ms MS] [ROW]...   for example: %s --min-ms 50 fib chain\nrows: ", argv[0],
           argv[0]);
    list_rows(stdout, rows, count);
    return 0;
  }
  if (argc > 2 && strcmp(argv[1], "--min-ms") == 0) {
    min_ms = read_min_ms(argv[2]);
    first = 3;
  }
  for (int k = first; k < argc; ++k) {
    if (find_row(rows, count, argv[k]) == NULL) {
      fprintf(stderr, "overhead: unknown row '%s', accepted are: ", argv[k]);
      list_rows(stderr, rows, count);
      return 2;
    }
  }
  int good = 1;
  for (int k = first; k < argc; ++k) {
    good &= measure_and_print(find_row(rows, count, argv[k]), min_ms, threads);
  }
  for (int k = 0; first == argc && k < count; ++k) {
    good &= measure_and_print(&rows[k], min_ms, threads);
  }
  return good ? 0 : 1;
}
