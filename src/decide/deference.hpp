// How long a worker that has nothing to do leaves the branches of recursions to those at whose home
// they are.
//
// Whoever takes a task that makes others waits for these, and may run nothing else meanwhile (the
// task scheduling constraint): with a branch of a recursion it takes a part of the tree away from
// its data, however soon others have the time for it. A leaf is over soon, and then the worker is
// free for its own domain again. So it takes leaves, and leaves a branch to those at home: for no
// longer than a leaf takes, since what is gained is a part of a branch's time, and they may all
// wait for what hangs on it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "decide/limits.hpp"

namespace lares::decide {

/// One worker's; no other thread touches it. Times in ticks of the executor's clock.
class Deference {
 public:
  /// For how long. A task that makes the branches of several domains makes one of them first: in a
  /// moment comes that of the thief's own domain, and its maker waits for the other. Else the two
  /// would run each other's.
  enum class For : std::uint8_t { moment, leaf };

  /// True if it leaves a branch alone that it has found at `now`: for some time after the first one
  /// that it has met since it has worked.
  [[nodiscard]] bool defers(std::uint64_t now, std::uint64_t per_microsecond, For how) noexcept {
    if (since_ == 0) since_ = now | 1U;
    const std::uint64_t leaf = leaf_ == 0 ? unknown * per_microsecond : leaf_;
    const std::uint64_t most = std::min(to_ticks(limits::deference, per_microsecond), leaf);
    return now < since_ + (how == For::leaf ? most : most / moments);
  }
  /// It has found a task.
  void works() noexcept { since_ = 0; }
  /// A task took so long that is not known to be a branch. Some are, and take many times as long as
  /// a leaf: so what is longer than before counts little.
  void ran(std::uint64_t duration) noexcept {
    if (leaf_ == 0) leaf_ = std::max<std::uint64_t>(duration, 1);
    const std::uint64_t longer = std::min(duration, leaf_ + leaf_ / 8 + 1);
    leaf_ = duration < leaf_ ? (leaf_ + duration + 1) / 2 : longer;
  }

 private:
  static constexpr std::uint64_t moments = 8;   ///< in what a leaf takes
  static constexpr std::uint64_t unknown = 50;  ///< microseconds, of a leaf before the first
  std::uint64_t since_ = 0;                     ///< 0: it has met none
  std::uint64_t leaf_ = 0;                      ///< what one takes; 0: not known
};

}  // namespace lares::decide
