// What bytes that a run is known to have moved take at least, beside what it took.
#pragma once

#include <cstdint>
#include <vector>

#include "model/figures.hpp"
#include "model/memory_time.hpp"

namespace lares::model {

/// Work of a run, and what it moved.
struct WorkDone {
  Team team;  ///< threads that took part
  std::vector<Stream> streams;
  std::vector<Seconds> busy;  ///< by DomainId: own time of its threads together
};

enum class Verdict : std::uint8_t {
  no_bytes,         ///< nobody told what was moved
  memory_bound,     ///< the bytes alone need most of the time
  partly,           ///< they need a good part of it
  not_memory_bound  ///< something else took the time
};
inline constexpr double memory_bound_from = 0.7;
inline constexpr double partly_from = 0.3;

struct LeastTime {
  MemoryTime memory;      ///< what the bytes take
  Seconds measured;       ///< of the domain whose threads were busy longest, on their mean
  double efficiency = 0;  ///< memory over measured; above 1, caches gave what the model takes from
                          ///< memory
  Seconds if_local;       ///< what it would have taken with all data at home where it is used
  Verdict verdict = Verdict::no_bytes;
};

/// With all data local the same part of the time is saved as the bytes' own time becomes shorter;
/// nothing that was not their time. Precondition as of memory_time; a domain with busy time has
/// threads.
LeastTime least_time(const Figures& figures, const WorkDone& work);

}  // namespace lares::model
