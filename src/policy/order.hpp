// The numbers below a bound, each once, in a random order, without memory for them.
#pragma once

#include <bit>
#include <cstdint>

#include "base/random.hpp"

namespace lares::policy {

/// A walk through [0, bound): the first number is uniformly random, the next ones follow by an odd
/// random stride modulo a power of two, which meets every number once; those out of bounds are
/// passed over. After `bound` numbers the walk begins anew.
class RandomOrder {
 public:
  /// Precondition: bound > 0.
  RandomOrder(Random& random, std::uint32_t bound) noexcept
      : bound_(bound),
        mask_(std::bit_ceil(bound) - 1),
        at_(random.below(bound)),
        stride_(static_cast<std::uint32_t>(random.next() >> 32U) | 1U) {}

  std::uint32_t next() noexcept {
    const std::uint32_t result = at_;
    do {
      at_ = (at_ + stride_) & mask_;
    } while (at_ >= bound_);
    return result;
  }

 private:
  std::uint32_t bound_;
  std::uint32_t mask_;
  std::uint32_t at_;
  std::uint32_t stride_;
};

}  // namespace lares::policy
