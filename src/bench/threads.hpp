// Which threads a benchmark runs.
#pragma once

#include <cstddef>
#include <vector>

#include "bench/benchmarks.hpp"
#include "measure/thread_counts.hpp"

namespace lares::bench {

/// One cpu per core, domain after domain ("close"), at most `most_threads`.
std::vector<OsCpu> close_cpus(const Setting& setting);

using measure::thread_counts;

/// The first `count` of `cpus`.
std::vector<OsCpu> first_of(const std::vector<OsCpu>& cpus, std::size_t count);

}  // namespace lares::bench
