/* Counts the solutions of a Sudoku by trying, a task for each number that may be tried.

     sudoku [depth]     no tasks are made below that depth of the search (default: at every depth)

   docs/tuning.md finds with it where a cut-off pays. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { size = 9, box = 3, cells = size * size };

typedef struct {
  char at[cells];
} board;

/* Long to search, because its first row is 987654321: a part of that is given. */
static const char puzzle[] =
    "98............3.85..1.2.......5.7.....4...1...9.......5......73..2.1........4...9";

static int fits(const board* b, int cell, int number) {
  const int row = cell / size;
  const int column = cell % size;
  for (int i = 0; i < size; ++i) {
    if (b->at[row * size + i] == number || b->at[i * size + column] == number) return 0;
    const int r = row / box * box + i / box;
    const int c = column / box * box + i % box;
    if (b->at[r * size + c] == number) return 0;
  }
  return 1;
}

static long solve(const board* given, int cell, int depth, int cut_off) {
  while (cell < cells && given->at[cell] != 0) ++cell;
  if (cell == cells) return 1;
  long found[size + 1] = {0};
  for (int number = 1; number <= size; ++number) {
    if (!fits(given, cell, number)) continue;
    board next = *given;
    next.at[cell] = (char)number;
    if (depth >= cut_off) {
      found[number] = solve(&next, cell + 1, depth, cut_off);
      continue;
    }
    long* const sum = &found[number];
#pragma omp task firstprivate(next)
    *sum = solve(&next, cell + 1, depth + 1, cut_off);
  }
#pragma omp taskwait
  long sum = 0;
  for (int number = 1; number <= size; ++number) sum += found[number];
  return sum;
}

int main(int argc, char** argv) {
  const int cut_off = argc > 1 ? atoi(argv[1]) : cells;
  board start;
  for (int i = 0; i < cells; ++i) start.at[i] = (char)(puzzle[i] == '.' ? 0 : puzzle[i] - '0');
  long solutions = 0;
  double seconds = 0;
#pragma omp parallel
#pragma omp single
  {
    const double begin = omp_get_wtime();
    solutions = solve(&start, 0, 0, cut_off);
    seconds = omp_get_wtime() - begin;
  }
  printf("solutions=%ld seconds=%.6f\n", solutions, seconds);
  return 0;
}
