// STREAM's triad after a serial start: one thread, on node 0, writes the arrays that all use.
//
// serial_start [MIB [SWEEPS [heap|static]]]: a[i] = b[i] + 3 * c[i] over three arrays of MIB / 3,
// allocated or static, by `#pragma omp parallel for`, in the regions "first" (the first sweep) and
// "sweeps" (the others). Prints a checksum.
#include "numa.h"

#include <lares/lab.h>

enum { most_doubles = 4 << 20 };
static double static_arrays[3][most_doubles];

static void sweep(double* a, const double* b, const double* c, size_t count) {
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < count; ++i) a[i] = b[i] + 3 * c[i];
}

static void write_all(double* const* arrays, size_t count) {
  for (int k = 0; k < 3; ++k) {
    for (size_t i = 0; i < count; ++i) arrays[k][i] = (double)(i % 1000) * k;
  }
}

// Outside of parallel regions nothing binds a thread: the kernel may start it on any node, and move
// it while it writes. Node 0 it is, and all cpus for what follows.
static void write_all_on_node_0(double* const* arrays, size_t count) {
  cpu_set_t all;
  if (sched_getaffinity(0, sizeof all, &all) != 0) fail("sched_getaffinity");
  run_on_node(0);
  write_all(arrays, count);
  if (sched_setaffinity(0, sizeof all, &all) != 0) fail("sched_setaffinity");
}

int main(int argc, char** argv) {
  const size_t mib = argc > 1 ? strtoul(argv[1], NULL, 10) : 48;
  const int sweeps = argc > 2 ? atoi(argv[2]) : 3;
  const int is_static = argc > 3 && strcmp(argv[3], "static") == 0;
  const size_t count = mib * 1024 * 1024 / 3 / sizeof(double);
  if (is_static && count > most_doubles) return 2;
  double* arrays[3];
  for (int k = 0; k < 3; ++k) {
    arrays[k] = is_static ? static_arrays[k] : malloc(count * sizeof(double));
    if (arrays[k] == NULL) return 1;
  }
  write_all_on_node_0(arrays, count);
  lares_lab_region_begin("first");
  sweep(arrays[0], arrays[1], arrays[2], count);
  lares_lab_region_end("first");
  lares_lab_region_begin("sweeps");
  for (int s = 1; s < sweeps; ++s) sweep(arrays[0], arrays[1], arrays[2], count);
  lares_lab_region_end("sweeps");
  double sum = 0;
  for (size_t i = 0; i < count; ++i) sum += arrays[0][i];
  printf("sum=%.0f result=%s\n", sum, arrays[0][999] == 999.0 + 3 * 999.0 * 2 ? "ok" : "wrong");
  return 0;
}
