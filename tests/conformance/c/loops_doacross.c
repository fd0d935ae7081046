// Loops whose iterations wait for earlier ones (doacross), under every schedule: whoever hands out
// iterations must not keep the earlier one from running.
// conformance: env OMP_SCHEDULE=nonmonotonic:dynamic,2
#include "check.h"

enum { count = 200, width = 40, modulus = 1000003 };

static long chain[count];
static long field[count][width];

static long next_of(int i) { return i > 0 ? (3 * chain[i - 1] + i) % modulus : 7; }

static void expect_chain(void) {
  for (int i = 0; i < count; i++) CHECK_EQUAL(chain[i], next_of(i));
  memset(chain, 0, sizeof chain);
}

#define PRAGMA(...) _Pragma(#__VA_ARGS__)
#define CHAIN(...)                                                             \
  do {                                                                         \
    PRAGMA(omp parallel) {                                                     \
      PRAGMA(omp for ordered(1) __VA_ARGS__) for (int i = 0; i < count; i++) { \
        PRAGMA(omp ordered depend(sink : i - 1)) chain[i] = next_of(i);        \
        PRAGMA(omp ordered depend(source))                                     \
      }                                                                        \
    }                                                                          \
    expect_chain();                                                            \
  } while (0)

static void dynamic_ones(void) { CHAIN(schedule(dynamic)); }
static void dynamic_chunks(void) { CHAIN(schedule(dynamic, 5)); }
static void guided_ones(void) { CHAIN(schedule(guided)); }
static void static_chunks(void) { CHAIN(schedule(static, 3)); }
static void by_variable(void) { CHAIN(schedule(runtime)); }
static void without_a_barrier(void) { CHAIN(schedule(dynamic) nowait); }

static long cell(int i, int k) {
  return (1 + (i > 0 ? field[i - 1][k] : 0) + (k > 0 ? field[i][k - 1] : 0)) % modulus;
}

static void two_loops(void) {
#pragma omp parallel
#pragma omp for ordered(2) schedule(dynamic)
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < width; k++) {
#pragma omp ordered depend(sink : i - 1, k) depend(sink : i, k - 1)
      field[i][k] = cell(i, k);
#pragma omp ordered depend(source)
    }
  }
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < width; k++) CHECK_EQUAL(field[i][k], cell(i, k));
  }
}

// One loop of each kind after another, apart by as many as the threads like.
static void among_loops_of_free_order(void) {
  long sum = 0;
#pragma omp parallel reduction(+ : sum)
  for (int round = 0; round < 5; round++) {
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < count; i++) sum += i;
#pragma omp for ordered(1) schedule(dynamic)
    for (int i = 0; i < count; i++) {
#pragma omp ordered depend(sink : i - 1)
      chain[i] = next_of(i);
#pragma omp ordered depend(source)
    }
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < count; i++) sum += i;
  }
  expect_chain();
  CHECK_EQUAL(sum, 5L * count * (count - 1));
}

CASES(CASE(dynamic_ones), CASE(dynamic_chunks), CASE(guided_ones), CASE(static_chunks),
      CASE(by_variable), CASE(without_a_barrier), CASE(two_loops), CASE(among_loops_of_free_order))
