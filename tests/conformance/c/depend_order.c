// depend(in, out, inout): the orders that are promised. The data are plain, so that a wrong order
// is also a data race.
#include "check.h"

enum { steps = 200 };

static void inout_makes_a_chain(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < steps; i++) {
#pragma omp task depend(inout : value) shared(value) firstprivate(i)
    {
      CHECK_EQUAL(value, i);
      value = i + 1;
    }
  }
  CHECK_EQUAL(value, steps);
}

static void out_makes_a_chain(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < steps; i++) {
#pragma omp task depend(out : value) shared(value) firstprivate(i)
    {
      CHECK_EQUAL(value, i);
      linger(1);
      value = i + 1;
    }
  }
  CHECK_EQUAL(value, steps);
}

static void in_waits_for_out(void) {
  int cells[steps] = {0};
  int read[steps] = {0};
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < steps; i++) {
#pragma omp task depend(out : cells[i]) shared(cells) firstprivate(i)
    {
      linger(2);
      cells[i] = i + 1;
    }
#pragma omp task depend(in : cells[i]) shared(cells, read) firstprivate(i)
    read[i] = cells[i];
  }
  for (int i = 0; i < steps; i++) CHECK_EQUAL(read[i], i + 1);
}

static void out_waits_for_every_in(void) {
  int value = 1;
  int bad = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 1; round <= 20; round++) {
    for (int reader = 0; reader < 7; reader++) {
#pragma omp task depend(in : value) shared(value, bad) firstprivate(round)
      {
        linger(1);
        if (value != round) bump(&bad);
      }
    }
#pragma omp task depend(out : value) shared(value) firstprivate(round)
    value = round + 1;
  }
  CHECK_EQUAL(bad, 0);
  CHECK_EQUAL(value, 21);
}

static void a_fan_opens_and_closes(void) {
  int source = 0;
  int sums[100];
  int total = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : source) shared(source)
    {
      linger(20);
      source = 5;
    }
    for (int i = 0; i < 100; i++) {
#pragma omp task depend(in : source) depend(out : sums[i]) shared(source, sums) firstprivate(i)
      sums[i] = source + i;
    }
#pragma omp task depend(inout : source) shared(source, sums, total)
    for (int i = 0; i < 100; i++) total += sums[i];
  }
  CHECK_EQUAL(total, 500 + 4950);
}

static void a_diamond_joins(void) {
  int bad = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; i++) {
    int* cell = (int*)calloc(4, sizeof(int));
#pragma omp task depend(out : cell[0]) firstprivate(cell, i)
    cell[0] = i;
#pragma omp task depend(in : cell[0]) depend(out : cell[1]) firstprivate(cell)
    cell[1] = cell[0] + 1;
#pragma omp task depend(in : cell[0]) depend(out : cell[2]) firstprivate(cell)
    cell[2] = cell[0] + 2;
#pragma omp task depend(in : cell[1], cell[2]) depend(inout : cell[0]) firstprivate(cell, i) \
    shared(bad)
    {
      if (cell[1] + cell[2] != 2 * i + 3) bump(&bad);
      free(cell);
    }
  }
  CHECK_EQUAL(bad, 0);
}

static void a_wavefront_follows_its_neighbours(void) {
  enum { side = 16 };
  static int grid[side + 1][side + 1];
  memset(grid, 0, sizeof grid);
  for (int i = 0; i <= side; i++) grid[i][0] = grid[0][i] = 1;
#pragma omp parallel
#pragma omp single
  for (int i = 1; i <= side; i++)
    for (int j = 1; j <= side; j++) {
#pragma omp task depend(in : grid[i - 1][j], grid[i][j - 1]) depend(out : grid[i][j]) \
    firstprivate(i, j) shared(grid)
      grid[i][j] = (grid[i - 1][j] + grid[i][j - 1]) % 1000003;
    }
  int expected[side + 1][side + 1];
  for (int i = 0; i <= side; i++) expected[i][0] = expected[0][i] = 1;
  for (int i = 1; i <= side; i++)
    for (int j = 1; j <= side; j++)
      expected[i][j] = (expected[i - 1][j] + expected[i][j - 1]) % 1000003;
  CHECK_EQUAL(memcmp(grid, expected, sizeof expected), 0);
}

static void a_stencil_over_time_keeps_its_steps(void) {
  enum { cells = 12, rounds = 20 };
  static long now[2][cells + 2];
  long expected[2][cells + 2];
  for (int i = 0; i < cells + 2; i++) now[0][i] = now[1][i] = expected[0][i] = expected[1][i] = i;
#pragma omp parallel
#pragma omp single
  for (int t = 0; t < rounds; t++)
    for (int i = 1; i <= cells; i++) {
      long* from = now[t % 2];
      long* to = now[(t + 1) % 2];
#pragma omp task depend(in : from[i - 1], from[i], from[i + 1]) depend(out : to[i]) \
    firstprivate(from, to, i)
      to[i] = (from[i - 1] + 2 * from[i] + from[i + 1]) % 10007;
    }
  for (int t = 0; t < rounds; t++)
    for (int i = 1; i <= cells; i++) {
      long* from = expected[t % 2];
      expected[(t + 1) % 2][i] = (from[i - 1] + 2 * from[i] + from[i + 1]) % 10007;
    }
  CHECK_EQUAL(memcmp(now, expected, sizeof expected), 0);
}

static void a_set_of_readers_then_a_writer_then_readers(void) {
  int value = 0;
  int first = 0;
  int second = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 10; i++) {
#pragma omp task depend(in : value) shared(value, first)
      if (value == 0) bump(&first);
    }
#pragma omp task depend(inout : value) shared(value, first)
    {
      CHECK_EQUAL(value_of(&first), 10);
      value = 1;
    }
    for (int i = 0; i < 10; i++) {
#pragma omp task depend(in : value) shared(value, second)
      if (value == 1) bump(&second);
    }
  }
  CHECK_EQUAL(first, 10);
  CHECK_EQUAL(second, 10);
}

static void independent_tasks_all_run(void) {
  static int cells[2000];
  memset(cells, 0, sizeof cells);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 2000; i++) {
#pragma omp task depend(inout : cells[i]) shared(cells) firstprivate(i)
    cells[i]++;
  }
  for (int i = 0; i < 2000; i++) CHECK_EQUAL(cells[i], 1);
}

static void finished_predecessors_do_not_hold_back(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; i++) {
#pragma omp task depend(inout : value) shared(value)
    value++;
    if (i % 2 == 0) {
#pragma omp taskwait
      CHECK_EQUAL(value, i + 1);
    }
  }
  CHECK_EQUAL(value, 100);
}

static void a_task_with_a_hundred_predecessors(void) {
  int cells[100];
  int total = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 100; i++) {
#pragma omp task depend(out : cells[i]) depend(in : total) shared(cells) firstprivate(i)
      {
        linger(1);
        cells[i] = i;
      }
    }
#pragma omp task depend(inout : total) shared(cells, total)
    for (int i = 0; i < 100; i++) total += cells[i];
  }
  CHECK_EQUAL(total, 4950);
}

static void a_task_with_a_thousand_successors(void) {
  int gate = 0;
  int passed = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : gate) shared(gate)
    {
      linger(200);
      gate = 1;
    }
    for (int i = 0; i < 1000; i++) {
#pragma omp task depend(in : gate) shared(gate, passed)
      if (gate == 1) bump(&passed);
    }
  }
  CHECK_EQUAL(passed, 1000);
}

static void addresses_may_be_used_again(void) {
  int bad = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 50; round++) {
    int* cell = (int*)malloc(sizeof(int));
    *cell = 0;
    for (int i = 0; i < 4; i++) {
#pragma omp task depend(inout : *cell) firstprivate(cell, i) shared(bad)
      if ((*cell)++ != i) bump(&bad);
    }
#pragma omp taskwait
    if (*cell != 4) bump(&bad);
    free(cell);
  }
  CHECK_EQUAL(bad, 0);
}

static void dependences_and_nothing_else_mix(void) {
  int value = 0;
  int free_runners = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; i++) {
#pragma omp task depend(inout : value) shared(value)
    value++;
#pragma omp task shared(free_runners)
    bump(&free_runners);
  }
  CHECK_EQUAL(value, 100);
  CHECK_EQUAL(free_runners, 100);
}

static void children_are_no_part_of_their_parents_dependence(void) {
  int value = 0;
  int children = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 30; i++) {
#pragma omp task depend(inout : value) shared(value, children) firstprivate(i)
    {
      for (int j = 0; j < 3; j++) {
#pragma omp task shared(children)
        bump(&children);
      }
      CHECK_EQUAL(value, i);
      value++;
    }
  }
  CHECK_EQUAL(value, 30);
  CHECK_EQUAL(children, 90);
}

CASES(CASE(inout_makes_a_chain), CASE(out_makes_a_chain), CASE(in_waits_for_out),
      CASE(out_waits_for_every_in), CASE(a_fan_opens_and_closes), CASE(a_diamond_joins),
      CASE(a_wavefront_follows_its_neighbours), CASE(a_stencil_over_time_keeps_its_steps),
      CASE(a_set_of_readers_then_a_writer_then_readers), CASE(independent_tasks_all_run),
      CASE(finished_predecessors_do_not_hold_back), CASE(a_task_with_a_hundred_predecessors),
      CASE(a_task_with_a_thousand_successors), CASE(addresses_may_be_used_again),
      CASE(dependences_and_nothing_else_mix),
      CASE(children_are_no_part_of_their_parents_dependence))
