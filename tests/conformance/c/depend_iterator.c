// Iterators in depend clauses: a number of dependences that is known only when the task is made.
#include "check.h"

static void a_range_of_inputs(void) {
  enum { count = 32 };
  int cells[count] = {0};
  int total = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 1; round <= 5; round++) {
    for (int i = 0; i < count; i++) {
#pragma omp task depend(inout : cells[i]) shared(cells) firstprivate(i)
      {
        linger(1);
        cells[i]++;
      }
    }
#pragma omp task depend(iterator(k = 0 : count), in : cells[k]) shared(cells, total) \
    firstprivate(round)
    {
      for (int i = 0; i < count; i++) CHECK_EQUAL(cells[i], round);
      total++;
    }
  }
  CHECK_EQUAL(total, 5);
}

static void a_length_known_at_run_time(void) {
  int cells[64] = {0};
#pragma omp parallel
#pragma omp single
  for (int length = 0; length <= 64; length += 8) {
#pragma omp task depend(iterator(k = 0 : length), inout : cells[k]) shared(cells) \
    firstprivate(length)
    for (int i = 0; i < length; i++) cells[i]++;
#pragma omp task depend(iterator(int k = 0 : length), in : cells[k]) shared(cells) \
    firstprivate(length)
    for (int i = 0; i < length; i++) CHECK(cells[i] > 0);
  }
  CHECK_EQUAL(cells[0], 8);
  CHECK_EQUAL(cells[63], 1);
}

static void a_step(void) {
  int cells[20] = {0};
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 10; round++) {
#pragma omp task depend(iterator(k = 0 : 20 : 2), inout : cells[k]) shared(cells)
    for (int i = 0; i < 20; i += 2) cells[i]++;
#pragma omp task depend(iterator(k = 1 : 20 : 2), inout : cells[k]) shared(cells)
    for (int i = 1; i < 20; i += 2) cells[i] += 2;
#pragma omp task depend(in : cells[4], cells[5]) shared(cells) firstprivate(round)
    {
      CHECK_EQUAL(cells[4], round + 1);
      CHECK_EQUAL(cells[5], 2 * round + 2);
    }
  }
}

static void a_negative_step(void) {
  int cells[10] = {0};
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 10; round++) {
#pragma omp task depend(iterator(k = 9 : -1 : -1), inout : cells[k]) shared(cells)
    for (int i = 0; i < 10; i++) cells[i]++;
#pragma omp task depend(in : cells[0]) depend(in : cells[9]) shared(cells) firstprivate(round)
    {
      CHECK_EQUAL(cells[0], round + 1);
      CHECK_EQUAL(cells[9], round + 1);
    }
  }
}

static void two_iterators(void) {
  int grid[4][5] = {{0}};
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 8; round++) {
    for (int i = 0; i < 4; i++) {
#pragma omp task depend(inout : grid[i][i]) shared(grid) firstprivate(i)
      grid[i][i]++;
    }
#pragma omp task depend(iterator(i = 0 : 4, j = 0 : 5), inout : grid[i][j]) shared(grid) \
    firstprivate(round)
    for (int i = 0; i < 4; i++) CHECK_EQUAL(grid[i][i], round + 1);
  }
}

static void an_iterator_over_pointers(void) {
  int cells[8] = {0};
  int* pointers[8];
  for (int i = 0; i < 8; i++) pointers[i] = &cells[7 - i];
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 10; round++) {
#pragma omp task depend(iterator(k = 0 : 8), out : *pointers[k]) shared(cells)
    for (int i = 0; i < 8; i++) cells[i]++;
#pragma omp task depend(in : cells[3]) shared(cells) firstprivate(round)
    CHECK_EQUAL(cells[3], round + 1);
  }
}

static void an_iterator_beside_plain_items(void) {
  int cells[6] = {0};
  int flag = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 10; round++) {
#pragma omp task depend(out : flag) shared(flag) firstprivate(round)
    flag = round;
#pragma omp task depend(iterator(k = 0 : 6), inout : cells[k]) depend(in : flag) \
    shared(cells, flag) firstprivate(round)
    {
      CHECK_EQUAL(flag, round);
      for (int i = 0; i < 6; i++) cells[i] = round;
    }
#pragma omp task depend(in : cells[0], cells[5]) shared(cells) firstprivate(round)
    CHECK_EQUAL(cells[0] + cells[5], 2 * round);
  }
}

static void an_empty_iterator(void) {
  int cells[1] = {0};
  int none = 0;
  int ran = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; i++) {
#pragma omp task depend(iterator(k = 0 : none), inout : cells[k]) shared(ran)
    bump(&ran);
  }
  CHECK_EQUAL(ran, 10);
}

CASES(CASE(a_range_of_inputs), CASE(a_length_known_at_run_time), CASE(a_step),
      CASE(a_negative_step), CASE(two_iterators), CASE(an_iterator_over_pointers),
      CASE(an_iterator_beside_plain_items), CASE(an_empty_iterator))
