// A small seeded random generator (xorshift64*, Vigna 2016): same seed, same sequence, everywhere.
#pragma once

#include <cstdint>

namespace lares {

/// Not for cryptography. Thread safety: one generator per thread.
class Random {
 public:
  constexpr explicit Random(std::uint64_t seed) noexcept
      : state_(seed * 0x9E3779B97F4A7C15ULL + 0xD1B54A32D192ED03ULL) {
    if (state_ == 0) state_ = 1;  // zero is the generator's only fixed point
  }

  constexpr std::uint64_t next() noexcept {
    state_ ^= state_ >> 12U;
    state_ ^= state_ << 25U;
    state_ ^= state_ >> 27U;
    return state_ * 0x2545F4914F6CDD1DULL;
  }

  /// A number in [0, bound). Precondition: bound > 0.
  constexpr std::uint32_t below(std::uint32_t bound) noexcept {
    return static_cast<std::uint32_t>(((next() >> 32U) * bound) >> 32U);
  }

 private:
  std::uint64_t state_;
};

}  // namespace lares
