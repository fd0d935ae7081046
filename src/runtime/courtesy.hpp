// Giving way to the other threads of a crowded team, as long as they are who gets the core.
#pragma once

#include <sched.h>

#include <algorithm>
#include <cstdint>

#include "base/clock.hpp"
#include "base/disorder.hpp"

namespace lares::runtime {

/// One worker's; no other thread touches it.
///
/// A yield hands the core to a thread of the team that has little left to do before it waits, too,
/// and comes back within microseconds. Where other programs compete for the cores it hands them a
/// whole time slice, each time; a thread that sleeps instead is let in soon after it is woken.
class Courtesy {
 public:
  /// Yields; answers false, without yielding, while yields have proved dear: sleep instead.
  bool yield() noexcept {
    if (sleeps_ != 0) {
      --sleeps_;
      return false;
    }
    if (disorder::gives_way()) return true;
    const Nanoseconds before = now();
    sched_yield();
    const std::int64_t took = now().count - before.count;
    if (took > dear.count) sleeps_ = std::min(took / spread.count, most_sleeps);
    return true;
  }

 private:
  static constexpr Nanoseconds dear{200'000};  // teammates come back within a tenth of this
  // What a dear yield took is spread over so many waits that each bears little of it.
  static constexpr Nanoseconds spread{2'000};
  static constexpr std::int64_t most_sleeps = 4096;
  std::int64_t sleeps_ = 0;  ///< how many waits sleep before the next try
};

}  // namespace lares::runtime
