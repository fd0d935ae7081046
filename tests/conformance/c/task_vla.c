// Arrays of variable length as firstprivate copies: their size is only known when a task is made.
// conformance: only gcc: Clang does not take arrays of variable length in firstprivate of a task
#include "check.h"

static void fill_and_check(int length, int* bad) {
  double block[length];
  for (int i = 0; i < 20; i++) {
    for (int j = 0; j < length; j++) block[j] = i * 1000.0 + j;
#pragma omp task firstprivate(block, i, length, bad)
    for (int j = 0; j < length; j++)
      if (block[j] != i * 1000.0 + j) bump(bad);
  }
#pragma omp taskwait
}

static void arrays_of_variable_length_are_copied(void) {
  int bad = 0;
#pragma omp parallel
#pragma omp single
  for (int length = 1; length < 300; length += 37) fill_and_check(length, &bad);
  CHECK_EQUAL(bad, 0);
}

static void two_arrays_of_variable_length(void) {
  int bad = 0;
#pragma omp parallel
#pragma omp single
  for (int length = 3; length < 100; length += 13) {
    char text[length];
    long double numbers[length + 1];
    for (int j = 0; j < length; j++) text[j] = (char)j;
    for (int j = 0; j <= length; j++) numbers[j] = j;
#pragma omp task firstprivate(text, numbers, length) shared(bad)
    {
      for (int j = 0; j < length; j++)
        if (text[j] != (char)j) bump(&bad);
      for (int j = 0; j <= length; j++)
        if (numbers[j] != j) bump(&bad);
    }
    for (int j = 0; j < length; j++) text[j] = -1;
  }
  CHECK_EQUAL(bad, 0);
}

static void an_undeferred_task_copies_too(void) {
#pragma omp parallel
#pragma omp single
  for (int length = 1; length < 60; length += 7) {
    int block[length];
    for (int j = 0; j < length; j++) block[j] = j;
#pragma omp task if (0) firstprivate(block, length)
    for (int j = 0; j < length; j++) {
      CHECK_EQUAL(block[j], j);
      block[j] = -1;
    }
    for (int j = 0; j < length; j++) CHECK_EQUAL(block[j], j);
  }
}

CASES(CASE(arrays_of_variable_length_are_copied), CASE(two_arrays_of_variable_length),
      CASE(an_undeferred_task_copies_too))
