// STREAM's triad on one node with its memory on another: a[i] = b[i] + s * c[i].
//
// triad [CPU_NODE [MEMORY_NODE [MIB [PASSES]]]]: runs on CPU_NODE with three arrays of MIB / 3 on
// MEMORY_NODE, in the region "triad". Each pass reads two arrays, fetches the third to write it,
// and writes it back: four thirds of MIB. The cache is emptied before and at the end.
#include "numa.h"

#include <lares/lab.h>

int main(int argc, char** argv) {
  const int cpu_node = (int)argument(argc, argv, 1, 0);
  const int memory_node = (int)argument(argc, argv, 2, 0);
  const size_t bytes = (size_t)argument(argc, argv, 3, 24) * 1024 * 1024 / 3 / 4096 * 4096;
  const int passes = (int)argument(argc, argv, 4, 1);
  const size_t count = bytes / sizeof(double);
  run_on_node(cpu_node);
  double* memory = reserve(3 * bytes);
  place(memory, 3 * bytes, policy_bind, 1UL << memory_node);
  double* a = memory;
  double* b = a + count;
  double* c = b + count;
  for (size_t i = 0; i < count; ++i) {
    a[i] = 0;
    b[i] = (double)i;
    c[i] = 2;
  }
  const volatile char* scratch = make_scratch(memory_node);
  empty_cache(scratch);
  lares_lab_region_begin("triad");
  for (int pass = 0; pass < passes; ++pass) {
    for (size_t i = 0; i < count; ++i) a[i] = b[i] + 3 * c[i];
  }
  empty_cache(scratch);
  lares_lab_region_end("triad");
  if (a[count - 1] != (double)(count - 1) + 6) fail("triad");
  const unsigned long lines = bytes / line_bytes * (unsigned long)passes;
  expect("triad", "read", cpu_node, memory_node, 2 * lines + scratch_lines);
  expect("triad", "written", cpu_node, memory_node, lines);
  expect("triad", "write_back", cpu_node, memory_node, lines);
  return 0;
}
