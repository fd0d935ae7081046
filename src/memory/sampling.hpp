// Judging a whole by a few samples: where to look, and what most of them say.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace lares::memory {

/// The i-th of `count` points spread evenly over [0, last], the ends included.
/// Precondition: i < count.
constexpr std::uint64_t spread(std::size_t i, std::size_t count, std::uint64_t last) noexcept {
  if (count < 2) return 0;
  const std::uint64_t gaps = count - 1;
  // Quotient and remainder apart, so that no product overflows.
  return last / gaps * i + last % gaps * i / gaps;
}

/// Counts at most `Capacity` votes for integers.
template <std::size_t Capacity>
class Votes {
 public:
  /// Precondition: fewer than `Capacity` votes so far.
  constexpr void add(int candidate) noexcept {
    ++total_;
    for (std::size_t i = 0; i < used_; ++i) {
      if (candidates_[i] == candidate) {
        ++counts_[i];
        return;
      }
    }
    candidates_[used_] = candidate;
    counts_[used_++] = 1;
  }
  [[nodiscard]] constexpr std::size_t total() const noexcept { return total_; }
  /// The candidate with most votes, the earliest of equals. Precondition: total() > 0.
  [[nodiscard]] constexpr int winner() const noexcept {
    std::size_t best = 0;
    for (std::size_t i = 1; i < used_; ++i) {
      if (counts_[i] > counts_[best]) best = i;
    }
    return candidates_[best];
  }

 private:
  std::array<int, Capacity> candidates_{};
  std::array<std::size_t, Capacity> counts_{};
  std::size_t used_ = 0;
  std::size_t total_ = 0;
};

}  // namespace lares::memory
