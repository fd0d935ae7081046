// How long a worker that has nothing to do leaves the branches of recursions to those at whose home
// they are.
//
// Whoever takes a task that makes others waits for these, and may run nothing else meanwhile (the
// task scheduling constraint): with a branch of a recursion it takes a part of the tree away from
// its data, however soon others have the time for it. A leaf is over soon, and then the worker is
// free for its own domain again. So it takes leaves, and leaves a branch to those at home for some
// time: not for ever, as all of them may wait inside of tasks that hang on it.
#pragma once

#include <algorithm>
#include <cstdint>

namespace lares::decide {

/// One worker's; no other thread touches it. Times in ticks of the executor's clock.
class Deference {
 public:
  /// True if it leaves a branch alone that it has found at `now`. Where that was in vain several
  /// times in a row it does so for ever shorter.
  [[nodiscard]] bool defers(std::uint64_t now, std::uint64_t per_microsecond) noexcept {
    if (until_ == 0) until_ = now + ((longest * per_microsecond) >> (in_vain_ / in_a_row)) + 1;
    if (now < until_) return true;
    is_over_ = true;
    return false;
  }
  /// It has found a task, whose data is in its domain or is not.
  void works(bool at_home) noexcept {
    if (until_ == 0) return;
    in_vain_ = at_home ? 0 : std::min(in_vain_ + (is_over_ ? 1 : 0), most_in_vain);
    until_ = 0;
    is_over_ = false;
  }

 private:
  // A thread that shares its core with others is away for some tens of milliseconds, and so are
  // those of a guest; one that has its core to itself comes at once.
  static constexpr std::uint64_t longest = 100'000;  // microseconds
  static constexpr int in_a_row = 4;
  static constexpr int most_in_vain = 10 * in_a_row;

  std::uint64_t until_ = 0;  ///< 0: it has met none since it has worked
  int in_vain_ = 0;          ///< times in a row
  bool is_over_ = false;     ///< it has deferred for long enough
};

}  // namespace lares::decide
