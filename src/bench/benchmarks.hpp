// The benchmarks of Schmidl 2016, section 2.1, on the machine that they run on.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "bench/chart.hpp"
#include "machine/machine.hpp"
#include "measure/measure.hpp"

namespace lares::bench {

/// What all benchmarks have in common.
struct Setting {
  const machine::Machine& machine;
  std::vector<DomainId> domains;  ///< in the order in which threads fill them
  measure::Pace pace;
  std::size_t most_threads = 0;  ///< 0: one per core
  Bytes footprint{
      16U << 20U};     ///< of each thread (section 2.1.2), or of the array that is initialised
  bool quick = false;  ///< fewer points
  measure::Progress progress;
};

/// One benchmark. Errors as those of measure::measure.
struct Benchmark {
  const char* name;
  const char* section;  ///< of the thesis
  const char* summary;
  Result<Chart> (*run)(const Setting& setting);
};

/// 2.1.1: one thread reads memory of each distance, by footprint.
Result<Chart> serial_bandwidth(const Setting& setting);
/// 2.1.2: threads read and write memory of their own domain, by their number.
Result<Chart> parallel_bandwidth(const Setting& setting);
/// 2.1.3: thread t reads what thread t + s touched first, by s.
Result<Chart> go_around(const Setting& setting);
/// 2.1.4, Table 2.1: all threads allocate and free 1 MB, by their number.
Result<Chart> malloc_scaling(const Setting& setting);
/// 2.1.4, Table 2.2: threads touch a new array first, by their number.
Result<Chart> first_touch(const Setting& setting);

/// In the order of `lares bench --help`.
std::span<const Benchmark> benchmarks();

}  // namespace lares::bench
