// A loop over the rest of the rows: Gauss' elimination without a search for pivots.
//
// eliminate HOW [N]: N rows of N doubles, which a static loop has written. Step k takes row k out
// of those behind it, in a loop with schedule(dynamic, 1).
//   regions  a parallel region for each step
//   inside   all steps in one region
// Elimination is the region "eliminate". Prints how many lines have to cross if all nodes are
// equally fast: of the rows beyond a node's even part of what is left, and of the row that is taken
// out, to all nodes but its own; how many are worked on in all; and whether all numbers are what
// they must be.
#include "numa.h"

#include <lares/lab.h>
#include <omp.h>

static double* rows;
static int n;

// The matrix is L * U with ones in all of L, so that what is left is U.
static double factor(int row, int column) { return row <= column ? 1 + (row + column) % 3 : 0; }

static void write_row(int i) {
  double* row = rows + (size_t)i * n;
  for (int j = 0; j < n; ++j) {
    row[j] = 0;
    for (int k = 0; k <= i && k <= j; ++k) row[j] += factor(k, j);
  }
}

static void take_out(int k, int i) {
  const double* pivot = rows + (size_t)k * n;
  double* row = rows + (size_t)i * n;
  const double times = row[k] / pivot[k];
  for (int j = k; j < n; ++j) row[j] -= times * pivot[j];
}

static void in_regions(void) {
  for (int k = 0; k + 1 < n; ++k) {
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = k + 1; i < n; ++i) take_out(k, i);
  }
}

static void inside(void) {
#pragma omp parallel
  for (int k = 0; k + 1 < n; ++k) {
#pragma omp for schedule(dynamic, 1)
    for (int i = k + 1; i < n; ++i) take_out(k, i);
  }
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  n = (int)argument(argc, argv, 2, 512);
  rows = reserve((size_t)n * n * sizeof(double));
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i) write_row(i);
  lares_lab_region_begin("eliminate");
  if (strcmp(argv[1], "inside") == 0) {
    inside();
  } else {
    in_regions();
  }
  lares_lab_region_end("eliminate");
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) wrong += rows[(size_t)i * n + j] != factor(i, j);
  }
  // Of the nodes, equal parts of the rows; in step k the nodes whose rows are through help the
  // rest.
  const int nodes = node_count();
  double least = 0, all = 0;
  for (int k = 0; k + 1 < n; ++k) {
    const double line = (n - k) / 8.0, left = n - 1 - k;
    all += left * line;
    least += (nodes - 1) * line;
    for (int node = 0; node < nodes; ++node) {
      const double from = (double)n * node / nodes, until = (double)n * (node + 1) / nodes;
      const double own = until - (from > k + 1 ? from : k + 1 < until ? k + 1 : until);
      if (own > left / nodes) least += (own - left / nodes) * line;
    }
  }
  printf("least=%.0f all=%.0f result=%s\n", least, all, wrong == 0 ? "ok" : "wrong");
  return wrong != 0;
}
