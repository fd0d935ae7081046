#include <omp.h>

#include "measure.h"
#include "rows.h"

enum { readers = 16, width = 64, cells = 1024 };

// One cache line: rows measure dependences, not lines that threads fight for.
typedef struct {
  _Alignas(64) long value;
} Cell;

long row_chain(long operations) {
  static Cell cell;
  cell.value = 0;
#pragma omp parallel
#pragma omp single
  for (long k = 0; k < operations; ++k) {
#pragma omp task depend(inout : cell.value)
    ++cell.value;
  }
  return cell.value == operations ? operations : -1;
}

static void fan_of(Cell* cell, Cell* wrong, long value) {
#pragma omp task depend(out : cell->value)
  cell->value = value;
  for (int reader = 0; reader < readers; ++reader) {
#pragma omp task depend(in : cell->value)
    if (cell->value != value) {
#pragma omp atomic write
      wrong->value = 1;
    }
  }
}

long row_fan(long operations) {
  static Cell cell, wrong;
  const long fans = (operations + readers) / (readers + 1);
  wrong.value = 0;
#pragma omp parallel
#pragma omp single
  for (long k = 0; k < fans; ++k) fan_of(&cell, &wrong, k);
  return wrong.value ? -1 : fans * (readers + 1);
}

long row_independent(long operations) {
  static Cell data[cells];
  const long times = (operations + cells - 1) / cells;
  for (int k = 0; k < cells; ++k) data[k].value = 0;
#pragma omp parallel
#pragma omp single
  for (long step = 0; step < times; ++step) {
    for (int k = 0; k < cells; ++k) {
      Cell* cell = &data[k];
#pragma omp task depend(inout : cell->value)
      ++cell->value;
    }
#pragma omp taskwait
  }
  for (int k = 0; k < cells; ++k) {
    if (data[k].value != times) return -1;
  }
  return times * cells;
}

static long max3(long a, long b, long c) {
  const long larger = a > b ? a : b;
  return larger > c ? larger : c;
}

static void stencil_step(Cell* from, Cell* to) {
  for (int k = 0; k < width; ++k) {
    Cell *left = &from[(k + width - 1) % width], *middle = &from[k],
         *right = &from[(k + 1) % width];
    Cell* result = &to[k];
#pragma omp task depend(in : left->value, middle->value, right->value) depend(out : result -> value)
    result->value = max3(left->value, middle->value, right->value) + 1;
  }
}

long row_stencil(long operations) {
  static Cell grid[2][width];
  const long steps = (operations + width - 1) / width;
  for (int k = 0; k < width; ++k) grid[0][k].value = grid[1][k].value = 0;
#pragma omp parallel
#pragma omp single
  for (long step = 0; step < steps; ++step) stencil_step(grid[step % 2], grid[(step + 1) % 2]);
  for (int k = 0; k < width; ++k) {
    if (grid[steps % 2][k].value != steps) return -1;
  }
  return steps * width;
}
