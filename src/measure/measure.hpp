// Measures a machine: what `lares measure` does.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "machine/machine.hpp"
#include "machine/measurements.hpp"
#include "measure/bandwidth.hpp"

namespace lares::measure {

/// What to measure. Domains are those of the machine; cores are bound to, so it must be this one.
struct Plan {
  Pace pace;
  std::vector<DomainId> domains;     ///< whose cores and whose memory take part
  std::size_t cores_per_domain = 0;  ///< 0: all
  std::vector<Kernel> kernels{std::begin(all_kernels), std::end(all_kernels)};
  /// Of each thread, beside one that no cache holds and if smaller than half of that: to read, and
  /// by the other kernels in the own domain's memory.
  std::vector<Bytes> cache_footprints;
  std::vector<Bytes> chain_footprints;  ///< the same for the latency
  Bytes memory_footprint;               ///< of each thread; 0: as the caches demand
  bool aggregate = true;
  bool migration = true;
  bool synchronisation = true;
  bool compute = true;
  std::uint64_t seed = 1;
};

/// Called before each step: what comes, and how many steps of how many are done.
using Progress = std::function<void(const std::string& what, std::size_t done, std::size_t all)>;

/// Runs the plan. Errors: a domain that does not exist or has neither cores nor memory, memory or
/// binding that the kernel refuses. One caller at a time, on an otherwise idle machine.
Result<machine::Measurements> measure(const machine::Machine& machine, const Plan& plan,
                                      const Progress& progress);

/// Makes the machine's performance of the pairs' medians (read by all cores of a domain, and
/// latency, both of the largest footprint), and its distances by D(a, b) = 10 M(1, 1) / M(a, b)
/// (Schmidl 2016, section 2.3.2). A domain without cores gets the distances that others have to it.
/// False, and distances as they were, if a pair of domains with cores was not measured.
bool apply(const machine::Measurements& measurements, machine::Machine& machine);

/// The cpus that measure in a domain: the first hardware thread of each core, at most `most` (0:
/// all).
std::vector<OsCpu> measuring_cpus(const machine::Machine& machine, DomainId domain,
                                  std::size_t most);

}  // namespace lares::measure
