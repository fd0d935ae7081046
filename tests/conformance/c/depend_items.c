// What may stand in a depend clause: scalars, elements, sections, members, dereferences, and the
// same address more than once.
#include "check.h"

static void sections_with_the_same_start_are_ordered(void) {
  enum { length = 64, rounds = 60 };
  static int data[length];
  memset(data, 0, sizeof data);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < rounds; i++) {
#pragma omp task depend(inout : data[0 : length]) shared(data) firstprivate(i)
    for (int j = 0; j < length; j++) {
      CHECK_EQUAL(data[j], i);
      data[j]++;
    }
  }
  for (int j = 0; j < length; j++) CHECK_EQUAL(data[j], rounds);
}

static void sections_of_blocks_are_ordered_by_block(void) {
  enum { blocks = 8, length = 32, rounds = 10 };
  static int data[blocks * length];
  memset(data, 0, sizeof data);
#pragma omp parallel
#pragma omp single
  for (int r = 0; r < rounds; r++)
    for (int b = 0; b < blocks; b++) {
      int* block = data + b * length;
#pragma omp task depend(inout : block[0 : length]) firstprivate(block, r)
      for (int j = 0; j < length; j++) {
        CHECK_EQUAL(block[j], r);
        block[j]++;
      }
    }
  for (int j = 0; j < blocks * length; j++) CHECK_EQUAL(data[j], rounds);
}

static void sections_of_two_dimensions(void) {
  static int tile[4][4][8][8];
  memset(tile, 0, sizeof tile);
#pragma omp parallel
#pragma omp single
  for (int r = 0; r < 5; r++)
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) {
#pragma omp task depend(inout : tile[i][j][0 : 8][0 : 8]) firstprivate(i, j, r) shared(tile)
        {
          CHECK_EQUAL(tile[i][j][7][7], r);
          for (int k = 0; k < 64; k++) tile[i][j][k / 8][k % 8]++;
        }
      }
  for (int i = 0; i < 16; i++) CHECK_EQUAL(tile[i / 4][i % 4][3][3], 5);
}

static void the_same_item_twice_in_one_task(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; i++) {
#pragma omp task depend(inout : value, value) shared(value) firstprivate(i)
    {
      CHECK_EQUAL(value, i);
      value++;
    }
  }
  CHECK_EQUAL(value, 50);
}

static void in_and_out_of_the_same_item_in_one_task(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; i++) {
#pragma omp task depend(in : value) depend(out : value) shared(value) firstprivate(i)
    {
      CHECK_EQUAL(value, i);
      value++;
    }
  }
  CHECK_EQUAL(value, 50);
}

static void out_before_in_of_the_same_item_in_one_task(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; i++) {
#pragma omp task depend(out : value) depend(in : value) shared(value) firstprivate(i)
    {
      CHECK_EQUAL(value, i);
      value++;
    }
#pragma omp task depend(in : value) shared(value) firstprivate(i)
    CHECK_EQUAL(value, i + 1);
  }
  CHECK_EQUAL(value, 50);
}

struct record {
  int key;
  int* payload;
};

static void members_and_dereferences(void) {
  int cells[2] = {0, 0};
  struct record records[2] = {{0, &cells[0]}, {0, &cells[1]}};
  struct record* pointer = records;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 40; i++) {
#pragma omp task depend(inout : records[i % 2].key) shared(records) firstprivate(i)
    records[i % 2].key++;
#pragma omp task depend(inout : *pointer[i % 2].payload) firstprivate(pointer, i)
    {
      CHECK_EQUAL(*pointer[i % 2].payload, i / 2);
      (*pointer[i % 2].payload)++;
    }
#pragma omp task depend(in : pointer[i % 2].key, cells[i % 2]) firstprivate(pointer, i) \
    shared(cells)
    {
      CHECK_EQUAL(pointer[i % 2].key, i / 2 + 1);
      CHECK_EQUAL(cells[i % 2], i / 2 + 1);
    }
  }
}

static void arrays_of_variable_length(void) {
#pragma omp parallel
#pragma omp single
  for (int length = 1; length <= 16; length *= 2) {
    int cells[length];
    for (int i = 0; i < length; i++) cells[i] = 0;
    for (int r = 0; r < 5; r++)
      for (int i = 0; i < length; i++) {
#pragma omp task depend(inout : cells[i]) shared(cells) firstprivate(i, r)
        {
          CHECK_EQUAL(cells[i], r);
          cells[i]++;
        }
      }
#pragma omp taskwait
    for (int i = 0; i < length; i++) CHECK_EQUAL(cells[i], 5);
  }
}

static void neighbours_in_one_cache_line_are_independent(void) {
  int cells[16] = {0};
#pragma omp parallel
#pragma omp single
  for (int r = 0; r < 20; r++)
    for (int i = 0; i < 16; i++) {
#pragma omp task depend(inout : cells[i]) shared(cells) firstprivate(i, r)
      {
        CHECK_EQUAL(cells[i], r);
        cells[i]++;
      }
    }
  for (int i = 0; i < 16; i++) CHECK_EQUAL(cells[i], 20);
}

static void twenty_items_of_all_kinds(void) {
  int a[20] = {0};
  int order = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 30; i++) {
#pragma omp task depend(in : a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9])             \
    depend(out : a[10], a[11], a[12], a[13], a[14]) depend(inout : a[15], a[16], a[17], a[18]) \
    shared(a, order) firstprivate(i)
    {
      CHECK_EQUAL(order, i);
      order++;
    }
  }
  CHECK_EQUAL(order, 30);
}

static void dependences_on_functions_results(void) {
  static int cells[4];
  memset(cells, 0, sizeof cells);
  int index = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
#pragma omp task depend(inout : cells[(index++) % 4]) shared(cells) firstprivate(i)
    cells[i % 4]++;
  }
  CHECK_EQUAL(index, 20);
  for (int i = 0; i < 4; i++) CHECK_EQUAL(cells[i], 5);
}

CASES(CASE(sections_with_the_same_start_are_ordered), CASE(sections_of_blocks_are_ordered_by_block),
      CASE(sections_of_two_dimensions), CASE(the_same_item_twice_in_one_task),
      CASE(in_and_out_of_the_same_item_in_one_task),
      CASE(out_before_in_of_the_same_item_in_one_task), CASE(members_and_dereferences),
      CASE(arrays_of_variable_length), CASE(neighbours_in_one_cache_line_are_independent),
      CASE(twenty_items_of_all_kinds), CASE(dependences_on_functions_results))
