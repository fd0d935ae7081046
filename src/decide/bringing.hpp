// How much time may go into moving data that nobody has asked to move.
#pragma once

#include "base/ids.hpp"

namespace lares::decide {

/// Half of the time that the program has run: no more of it can have been lost because memory of
/// another node takes twice as long, so what is brought late costs no more than what it saves then,
/// however long a page takes and however soon the program ends. What was cut short for want of time
/// is gone on with when that much more time has passed; so it is cut short only a few times.
/// One user at a time; pure: times are the executor's.
class TimeBudget {
 public:
  explicit TimeBudget(Nanoseconds begun) noexcept : begun_(begun) {}

  /// For a move that would begin now: nothing, or less, if it must not.
  [[nodiscard]] Nanoseconds left(Nanoseconds now) const noexcept {
    if (now < next_) return {0};
    return {(now - begun_).count / part - spent_.count};
  }
  /// One took from `start` until `end`.
  void spend(Nanoseconds start, Nanoseconds end, bool ran_out) noexcept {
    spent_ = {spent_.count + (end - start).count};
    if (ran_out) next_ = {end.count + (end - begun_).count / part};
  }

 private:
  static constexpr std::int64_t part = 2;
  Nanoseconds begun_;
  Nanoseconds spent_{0};
  Nanoseconds next_{0};
};

}  // namespace lares::decide
