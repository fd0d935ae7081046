// How long a worker that has nothing to do leaves the branches of recursions to those at whose home
// they are.
//
// Whoever takes a task that makes others waits for these, and may run nothing else meanwhile (the
// task scheduling constraint): with a branch of a recursion it takes a part of the tree away from
// its data, however soon others have the time for it. A leaf is over soon, and then the worker is
// free for its own domain again. So it takes leaves, and leaves a branch to those at home for some
// time: not for ever, as all of them may wait inside of tasks that hang on it.
#pragma once

#include <cstdint>

#include "decide/limits.hpp"

namespace lares::decide {

/// One worker's; no other thread touches it. Times in ticks of the executor's clock.
class Deference {
 public:
  /// True if it leaves a branch alone that it has found at `now`: for some time after the first one
  /// that it has met since it has worked. `inside`: it waits inside of a task at its own home.
  [[nodiscard]] bool defers(std::uint64_t now, bool inside,
                            std::uint64_t per_microsecond) noexcept {
    if (since_ == 0) since_ = now | 1U;
    const Nanoseconds most = inside ? limits::deference_inside : limits::deference;
    return now < since_ + to_ticks(most, per_microsecond);
  }
  /// It has found a task.
  void works() noexcept { since_ = 0; }

 private:
  std::uint64_t since_ = 0;  ///< 0: it has met none
};

}  // namespace lares::decide
