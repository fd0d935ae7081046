// Small OpenMP programs whose task graphs are known: record_test.py. Usage: record_programs CASE
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { elements = 1000 };
static double *a, *b;  // beside each other

static void fill(double* values, double value) {
  for (int i = 0; i < elements; ++i) values[i] += value;
}

static void chain(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : a[0 : elements])
    fill(a, 1);
#pragma omp task depend(in : a[0 : elements]) depend(inout : b[0 : elements])
    fill(b, a[0]);
#pragma omp task
    fill(b, 2);
  }
}

static void waits(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    fill(a, 1);
#pragma omp task
    fill(b, 1);
#pragma omp taskwait
#pragma omp task
    fill(a, b[0]);
  }
}

static void groups(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    fill(b, 2);
#pragma omp taskgroup
    {
#pragma omp task
      {
#pragma omp task
        fill(a, 1);
      }
    }
#pragma omp task
    fill(a, b[0]);
  }
}

static void regions(void) {
  for (int i = 0; i < 2; ++i) {
#pragma omp parallel
    {
#pragma omp for
      for (int k = 0; k < elements; ++k) a[k] += 1;
#pragma omp single
      {
#pragma omp task
        fill(b, 1);
      }
    }
  }
}

static void undeferred(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : a[0])
    fill(a, 1);
#pragma omp task if (0) depend(in : a[0])
    fill(b, a[0]);
#pragma omp task if (0)
    fill(b, a[0]);
#pragma omp taskwait depend(in : a[0])
#pragma omp task
    fill(b, a[0]);
  }
}

static void nested(void) {
#pragma omp parallel
#pragma omp single
#pragma omp task
  {
#pragma omp task
    fill(a, 1);
#pragma omp task
    fill(b, 1);
#pragma omp taskwait
#pragma omp task
    fill(a, b[0]);
  }
}

static void ends_early(int by_exit) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    fill(a, 1);
#pragma omp taskwait
    if (by_exit) exit(0);
    _exit(0);
  }
}

static void every_thread(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp task
    fill(a + omp_get_thread_num(), 0);
#pragma omp barrier
#pragma omp single
    {
#pragma omp task
      fill(b, 1);
    }
  }
}

static void exclusive(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(mutexinoutset : a[0])
    fill(a, 1);
#pragma omp task depend(mutexinoutset : a[0])
    fill(b, 1);
#pragma omp task depend(in : a[0])
    fill(a, b[0]);
  }
}

// GCC 12 does not know `inoutset`.
static void sets(void) {
#ifdef __clang__
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(inoutset : a[0])
    fill(a, 1);
#pragma omp task depend(inoutset : a[0])
    fill(b, 1);
  }
#endif
}

// Two milliseconds by the one who creates, and as many in the task.
static void burn(void) {
  const double end = omp_get_wtime() + 2e-3;
  while (omp_get_wtime() < end) {
  }
}

static void loops(void) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < 14; ++i) {
      burn();
      if (i < 6) burn();
    }
#pragma omp for schedule(guided)
    for (long i = 100; i > 60; i -= 2) burn();
  }
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    burn();
  }
#pragma omp parallel for schedule(dynamic) num_threads(1)
  for (int i = 0; i < 2; ++i) burn();
}

static void times(void) {
#pragma omp parallel
#pragma omp single
  {
    burn();
#pragma omp task
    {
      burn();
#pragma omp task if (0)
      burn();
    }
  }
}

static void inner(void) {
#pragma omp parallel
#pragma omp single
#pragma omp task
  {
#pragma omp parallel num_threads(1)
    {
#pragma omp task
      fill(a, 1);
    }
  }
}

static void forks(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    fill(a, 1);
#pragma omp taskwait
    if (fork() == 0) _exit(0);
#pragma omp task
    fill(b, 1);
  }
}

static void many(int count) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < count; i++) {
#pragma omp task
    fill(a, 1);
  }
}

// A daemon closes the descriptors that it does not know, and opens its own files under their
// numbers.
static int closes(void) {
  enum { files = 60, bytes = 100 };
  static int file[files];
  waits();
  for (int number = 3; number < 256; number++) close(number);
  for (int i = 0; i < files; i++) {
    file[i] = memfd_create("own", 0);
    if (file[i] < 0 || ftruncate(file[i], bytes) != 0) return 1;
  }
  many(20000);
  for (int i = 0; i < files; i++) {
    if (lseek(file[i], 0, SEEK_END) != bytes) return 1;
  }
  return 0;
}

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "";
  a = calloc(2 * elements, sizeof(double));
  if (a == NULL) return 1;
  b = a + elements;
  if (strcmp(name, "chain") == 0) chain();
  if (strcmp(name, "waits") == 0) waits();
  if (strcmp(name, "groups") == 0) groups();
  if (strcmp(name, "regions") == 0) regions();
  if (strcmp(name, "undeferred") == 0) undeferred();
  if (strcmp(name, "nested") == 0) nested();
  if (strcmp(name, "exit") == 0) ends_early(1);
  if (strcmp(name, "_exit") == 0) ends_early(0);
  if (strcmp(name, "every_thread") == 0) every_thread();
  if (strcmp(name, "exclusive") == 0) exclusive();
  if (strcmp(name, "sets") == 0) sets();
  if (strcmp(name, "loops") == 0) loops();
  if (strcmp(name, "times") == 0) times();
  if (strcmp(name, "inner") == 0) inner();
  if (strcmp(name, "forks") == 0) forks();
  if (strcmp(name, "many") == 0) many(50000);
  if (strcmp(name, "closes") == 0 && closes() != 0) return 3;
  if (strcmp(name, "abort") == 0) {
    waits();
    abort();
  }
  puts("done");
  return 0;
}
