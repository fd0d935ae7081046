// A shared library with OpenMP in it, for programs that load it when they already run. It returns
// the number of wrong results.
#include <stddef.h>

static int chain(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; i++) {
#pragma omp task depend(inout : value) shared(value)
    value++;
  }
  return value != 50;
}

static int fib(int n) {
  int a;
  int b;
  if (n < 2) return n;
#pragma omp task shared(a) firstprivate(n)
  a = fib(n - 1);
#pragma omp task shared(b) firstprivate(n)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

static int recursion(void) {
  int result = 0;
#pragma omp parallel
#pragma omp single
  result = fib(12);
  return result != 144;
}

static int loops(void) {
  int sum = 0;
  int other = 0;
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 3) reduction(+ : sum)
    for (int i = 0; i < 100; i++) sum += i;
#pragma omp single
#pragma omp taskloop grainsize(7) shared(other)
    for (int i = 0; i < 100; i++) {
#pragma omp atomic
      other += i;
    }
  }
  return (sum != 4950) + (other != 4950);
}

int late_library_errors(void) { return chain() + recursion() + loops(); }

int late_library_fib(int n) { return fib(n); }
