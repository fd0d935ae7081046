// STREAM's triad after a serial start: one thread writes the arrays, all threads use them.
//
// serial_start [MIB [SWEEPS [heap|static]]]: a[i] = b[i] + 3 * c[i] over three arrays of MIB / 3,
// allocated or static, by `#pragma omp parallel for`, in the regions "first" (the first sweep) and
// "sweeps" (the others). Prints a checksum.
#include <lares/lab.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_doubles = 4 << 20 };
static double static_arrays[3][most_doubles];

static void sweep(double* a, const double* b, const double* c, size_t count) {
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < count; ++i) a[i] = b[i] + 3 * c[i];
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
    for (size_t i = 0; i < count; ++i) arrays[k][i] = (double)(i % 1000) * k;
  }
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
