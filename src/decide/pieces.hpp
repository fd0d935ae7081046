// How a taskloop's iterations are cut into tasks, which domain each is for, and in which order they
// are made.
//
// A piece names no data. But a loop that comes again works on the same data at the same place of
// its iterations, and what a static loop or another taskloop initialised lies where that place is
// at home: so a piece is for the worker that has its middle iteration in the static part.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "decide/loops.hpp"

namespace lares::decide {

/// The pieces of a loop of at least one iteration (OpenMP 5.2, 12.6): the first ones are one
/// iteration longer than the others, if they are not all equal; with a strict grain size the last
/// one is shorter.
class Pieces {
 public:
  /// About as many as `wanted`, which is at least 1, and never more than there are iterations.
  [[nodiscard]] static Pieces evenly(std::uint64_t iterations, std::uint64_t wanted) noexcept {
    const std::uint64_t count = std::min(wanted, iterations);
    return {iterations, count, StaticParts(iterations, static_cast<std::size_t>(count))};
  }
  /// Each has at least `grain` iterations, which is at least 1, and less than twice as many; one if
  /// there are fewer in all. Strict: exactly so many, but for the last one.
  [[nodiscard]] static Pieces by_grain(std::uint64_t iterations, std::uint64_t grain,
                                       bool strict) noexcept {
    if (!strict) return evenly(iterations, std::max<std::uint64_t>(iterations / grain, 1));
    StaticParts parts;
    parts.each = std::min(grain, iterations);
    return {iterations, (iterations - 1) / parts.each + 1, parts};
  }

  [[nodiscard]] std::uint64_t iterations() const noexcept { return iterations_; }
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// The iterations of a piece, counted from 0.
  [[nodiscard]] LoopRange operator[](std::uint64_t piece) const noexcept {
    return {begin(piece), piece + 1 == count_ ? iterations_ : begin(piece + 1)};
  }
  /// Calls `make(range, is_last)` for each, in their order.
  template <class Make>
  void for_each(Make make) const {
    std::uint64_t begin = 0;
    for (std::uint64_t left = count_; left > 0; --left) {
      const std::uint64_t usual = begin + parts_.each + (count_ - left < parts_.rest ? 1 : 0);
      const std::uint64_t end = left == 1 ? iterations_ : usual;
      make(LoopRange{begin, end}, left == 1);
      begin = end;
    }
  }
  /// The first piece whose middle iteration is not before this one; count() if none is.
  [[nodiscard]] std::uint64_t first_from(std::uint64_t iteration) const noexcept {
    if (iteration >= iterations_) return count_;
    const auto piece = static_cast<std::uint64_t>(parts_.owner(iteration));
    const LoopRange range = (*this)[piece];
    return range.begin + (range.size() - 1) / 2 >= iteration ? piece : piece + 1;
  }

 private:
  Pieces(std::uint64_t iterations, std::uint64_t count, StaticParts parts) noexcept
      : iterations_(iterations), count_(count), parts_(parts) {}
  [[nodiscard]] std::uint64_t begin(std::uint64_t piece) const noexcept {
    return parts_.begin(static_cast<std::size_t>(piece));
  }

  std::uint64_t iterations_;
  std::uint64_t count_;
  StaticParts parts_;
};

/// Calls `make(piece, worker)` for each piece and the worker that it is at home with, for each
/// worker in turn: made one worker's after the other's, the last ones' would be idle meanwhile, and
/// rob the first. O(count + workers).
template <class Make>
void for_each_in_turn(const Pieces& pieces, std::size_t workers, Make make) {
  const StaticParts parts(pieces.iterations(), workers);
  bool more = true;
  for (std::uint64_t round = 0; more; ++round) {
    more = false;
    std::uint64_t begin = 0;
    for (std::size_t worker = 0; worker < workers; ++worker) {
      const std::uint64_t end = pieces.first_from(parts.begin(worker + 1));
      if (begin + round < end) make(begin + round, WorkerId{worker});
      more = more || begin + round + 1 < end;
      begin = end;
    }
  }
}

}  // namespace lares::decide
