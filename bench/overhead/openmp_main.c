// The overhead benchmark on OpenMP: GCC and Clang build it, and it runs stock or under Lares.
#include <omp.h>

#include "measure.h"
#include "rows.h"

int main(int argc, char** argv) {
  static const Row rows[] = {
      {"producer", row_producer, 20000},
      {"fib", row_fib, 20000},
      {"chain", row_chain, 10000},
      {"fan", row_fan, 4080},
      {"independent", row_independent, 10240},
      {"stencil", row_stencil, 5120},
      {"taskloop", row_taskloop, 1024000},
      {"taskloop-1", row_taskloop_single, 20480},
      {"spawn-wait", row_spawn_wait, 10000},
      {"taskgroup", row_taskgroup, 10000},
      {"dynamic", row_dynamic, 65536},
      {"dynamic-16", row_dynamic_16, 65536},
      {"dynamic-128", row_dynamic_128, 65536},
      {"dynamic-ull", row_dynamic_ull, 65536},
      {"dynamic-collapse", row_dynamic_collapse, 65536},
      {"guided", row_guided, 1000},
      {"static", row_static, 2000},
      {"barrier", row_barrier, 5000},
      {"parallel", row_parallel, 1000},
  };
  return measure_rows(argc, argv, rows, sizeof rows / sizeof rows[0], omp_get_max_threads());
}
