// Time for limits, on hosts that are sometimes stopped.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.hpp"

namespace lares::lab {

/// Milliseconds in which this process was awake: a gap between two readings counts at most one
/// second. So a process that was stopped, together with its guest, takes nobody for hung.
class PatientClock {
 public:
  /// To be called at least twice a second.
  void tick() noexcept {
    const Nanoseconds time = lares::now();
    nanoseconds_ += std::min<std::int64_t>((time - last_).count, 1'000'000'000);
    last_ = time;
  }
  [[nodiscard]] std::int64_t milliseconds() const noexcept { return nanoseconds_ / 1'000'000; }

 private:
  Nanoseconds last_ = lares::now();
  std::int64_t nanoseconds_ = 0;
};

}  // namespace lares::lab
