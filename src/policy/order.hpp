// Numbers below a bound from a random start on, each at most once, without memory for them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/random.hpp"

namespace lares::policy {

/// `size()` different numbers of [0, bound), evenly spread: the first is uniformly random, the
/// others follow at equal steps, round the end. With a limit of at least `bound` it is all of
/// them. One random number per sweep and no unpredictable branch: an idle worker asks often.
class Sweep {
 public:
  /// Precondition: bound > 0 and limit > 0.
  Sweep(Random& random, std::uint32_t bound, std::uint32_t limit) noexcept
      : bound_(bound),
        size_(std::min(bound, limit)),
        step_(bound / size_),
        at_(random.below(bound)) {}
  Sweep(Random& random, std::uint32_t bound) noexcept : Sweep(random, bound, bound) {}

  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  /// To be called at most size() times.
  std::uint32_t next() noexcept {
    const std::uint32_t result = at_;
    at_ += step_;
    if (at_ >= bound_) at_ -= bound_;
    return result;
  }

 private:
  std::uint32_t bound_;
  std::uint32_t size_;
  std::uint32_t step_;
  std::uint32_t at_;
};

}  // namespace lares::policy
