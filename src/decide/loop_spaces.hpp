// Loops over the rest of an index space: what a factorisation leaves of its rows, a sweep behind
// its front. Such a loop's iterations are at home where those of the whole space are: the data does
// not move when the loop begins later.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "decide/loops.hpp"

namespace lares::decide {

/// Loops by where they end, each with the most iterations that were seen. A loop that ends where a
/// longer one did, by the same step, is that one's rest. One that begins where another did and ends
/// earlier is none: a function that is called for a smaller array looks the same.
///
/// What it answers depends on nothing but the loops that it was told of and their order, never on
/// where a call comes from: the threads of a team may come to one construct from several places of
/// the code, and have to find the same home map each by itself.
class LoopSpaces {
 public:
  struct Loop {
    std::uint64_t end = 0;  ///< the variable's value behind the last iteration, modulo 2^64
    std::uint64_t step = 0;
    std::uint64_t iterations = 0;
  };

  /// The longest known loop that ends there; null if none is known, or the row has another one.
  [[nodiscard]] const Loop* find(const Loop& loop) const noexcept {
    const std::size_t row = row_of(loop);
    const Loop& known = rows_[row];
    const bool same = known.end == loop.end && known.step == loop.step;
    return same && (used_ >> row & 1U) != 0 ? &known : nullptr;
  }
  void put(const Loop& loop) noexcept {
    const std::size_t row = row_of(loop);
    rows_[row] = loop;
    used_ |= 1U << row;
  }
  /// Nothing is known.
  void clear() noexcept { used_ = 0; }
  /// Takes over what `later` knows.
  void put_all(const LoopSpaces& later) noexcept {
    for (std::uint32_t left = later.used_; left != 0; left &= left - 1) {
      put(later.rows_[static_cast<std::size_t>(__builtin_ctz(left))]);
    }
  }

 private:
  static constexpr unsigned bits = 4;
  static std::size_t row_of(const Loop& loop) noexcept {
    return static_cast<std::size_t>(((loop.end ^ loop.step << 32U) * 0x9E3779B97F4A7C15ULL) >>
                                    (64U - bits));
  }

  std::uint32_t used_ = 0;  ///< a bit for each row
  std::array<Loop, 1U << bits> rows_;
};

/// Of which space a loop is the rest, where `earlier` is what was known before the region and
/// `inside` what the calling thread has met in it, to which the loop is added unless it is a rest.
inline LoopSpace space_of(const LoopSpaces::Loop& loop, const LoopSpaces& earlier,
                          LoopSpaces& inside) noexcept {
  const LoopSpaces::Loop* known = inside.find(loop);
  if (known == nullptr) known = earlier.find(loop);
  if (known == nullptr || known->iterations < loop.iterations) {
    inside.put(loop);
    return {0, loop.iterations};
  }
  return {known->iterations - loop.iterations, known->iterations};
}

}  // namespace lares::decide
