// What each construct of a trace moved between domains, and what its threads took for it.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.hpp"

namespace lares::trace {

/// Matrices are [domain that it ran in * domains + home]. Bytes are those that the program names.
struct ConstructTraffic {
  Index construct = none;  ///< none: grains whose construct is not known
  std::vector<std::uint64_t> read;
  std::vector<std::uint64_t> written;  ///< or perhaps written
  std::uint64_t homeless = 0;          ///< of both: no home is known; counted as local
  std::uint64_t distinct = 0;          ///< addresses that it names, each once
  std::vector<Time> busy;              ///< by domain: own time
  std::vector<std::uint32_t> threads;  ///< by domain: that ran a grain of it there
};

/// Most time first. Pure. O(grains + accesses log accesses).
std::vector<ConstructTraffic> construct_traffic(const Trace& trace);

}  // namespace lares::trace
