// A stencil over tiles of which the program's dependences name but the entries of a table, as Task
// Bench does it (Slaughter et al. 2020): a row of tiles from the row before, where the first row,
// the ends of a row and what lies between are tasks of lines of their own.
//
// tiles turns|rows [KIB [TILES [STEPS]]]: two rows that take turns, or a row of its own for each
// step. Prints whether every number is what it must be.
#include <lares/lab.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tile {
  float key;  // for an order only
  long* data;
};

static struct tile* table;
static long length;
static int tiles, rows;

static struct tile* tile_of(int step, int x) { return &table[step % rows * tiles + x]; }

static void begin(struct tile* to, int x) {
  for (long i = 0; i < length; ++i) to->data[i] = x + i % 7;
}

static void add(struct tile* to, const struct tile* left, const struct tile* middle,
                const struct tile* right) {
  for (long i = 0; i < length; ++i) {
    to->data[i] = (left->data[i] + middle->data[i] + right->data[i]) % 1000003;
  }
}

static void make_first(int x) {
  struct tile* const to = tile_of(0, x);
#pragma omp task depend(inout : *to)
  begin(to, x);
}

static void make_end(int step, int x, int other) {
  struct tile *const to = tile_of(step, x), *const middle = tile_of(step - 1, x);
  struct tile* const beside = tile_of(step - 1, other);
#pragma omp task depend(in : *middle, *beside) depend(inout : *to)
  add(to, middle, middle, beside);
}

static void make_inner(int step, int x) {
  struct tile *const to = tile_of(step, x), *const left = tile_of(step - 1, x - 1);
  struct tile *const middle = tile_of(step - 1, x), *const right = tile_of(step - 1, x + 1);
#pragma omp task depend(in : *left, *middle, *right) depend(inout : *to)
  add(to, left, middle, right);
}

static void make_step(int step) {
  for (int x = 0; x < tiles; ++x) {
    if (step == 0) {
      make_first(x);
    } else if (x == 0 || x == tiles - 1) {
      make_end(step, x, x == 0 ? 1 : tiles - 2);
    } else {
      make_inner(step, x);
    }
  }
}

// The same, one number of each tile at a time.
static long wrong_at(long i, int steps) {
  long* now = malloc(2 * (size_t)tiles * sizeof *now);
  if (now == NULL) exit(1);
  long* next = now + tiles;
  for (int x = 0; x < tiles; ++x) now[x] = x + i % 7;
  for (int step = 1; step < steps; ++step) {
    for (int x = 0; x < tiles; ++x) {
      const long left = x == 0 ? now[x] : now[x - 1];
      const long right = x == tiles - 1 ? now[x] : now[x + 1];
      next[x] = (left + now[x] + right) % 1000003;
    }
    memcpy(now, next, (size_t)tiles * sizeof *now);
  }
  long wrong = 0;
  for (int x = 0; x < tiles; ++x) wrong += tile_of(steps - 1, x)->data[i] != now[x];
  free(now);
  return wrong;
}

int main(int argc, char** argv) {
  if (argc < 2 || (strcmp(argv[1], "turns") != 0 && strcmp(argv[1], "rows") != 0)) return 2;
  length = (argc > 2 ? atol(argv[2]) : 64) * 1024 / (long)sizeof(long);
  tiles = argc > 3 ? atoi(argv[3]) : 32;
  const int steps = argc > 4 ? atoi(argv[4]) : 16;
  if (length < 8 || tiles < 3 || steps < 3) return 2;
  rows = strcmp(argv[1], "turns") == 0 ? 2 : steps;
  table = calloc((size_t)rows * (size_t)tiles, sizeof *table);
  if (table == NULL) return 1;
  for (int i = 0; i < rows * tiles; ++i) {
    table[i].data = malloc((size_t)length * sizeof(long));
    if (table[i].data == NULL) return 1;
  }
  lares_lab_region_begin("steps");
#pragma omp parallel
#pragma omp master
  for (int step = 0; step < steps; ++step) make_step(step);
  lares_lab_region_end("steps");
  long wrong = 0;
  for (long i = 0; i < 7; ++i) wrong += wrong_at(i, steps);
  printf("wrong=%ld result=%s\n", wrong, wrong == 0 ? "ok" : "wrong");
  return wrong != 0;
}
