#include "bench/benchmarks.hpp"

namespace lares::bench {

std::span<const Benchmark> benchmarks() {
  static constexpr Benchmark all[] = {
      {"serial", "2.1.1", "One thread's read bandwidth by footprint, one line per distance",
       serial_bandwidth},
      {"parallel", "2.1.2", "Bandwidth on memory of the own domain by number of threads",
       parallel_bandwidth},
      {"go-around", "2.1.3", "Bandwidth while each thread reads its s-th neighbour's memory",
       go_around},
      {"malloc", "2.1.4", "Time to allocate and free 1 MB while all threads do", malloc_scaling},
      {"first-touch", "2.1.4", "Bandwidth of the first write to new memory by number of threads",
       first_touch},
  };
  return all;
}

}  // namespace lares::bench
