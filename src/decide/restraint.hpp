// How long a worker whose domain has no tasks leaves those alone that are at home elsewhere: its
// own domain's next ones may be about to become ready, and whoever else comes for it has to go far,
// too.
#pragma once

#include <algorithm>
#include <cstdint>

namespace lares::decide {

/// One worker's; no other thread touches it. All times in ticks of the executor's clock.
///
/// Where several waits in a row are in vain, as where all data is in one domain, they become
/// shorter and shorter, so that all of them together take `in_a_row` * 2 times the first, about;
/// one that is rewarded by a task of the own domain makes them long again.
class Restraint {
 public:
  /// `tasks`: it waits for as long as so many of its tasks take, at most.
  Restraint(std::uint32_t tasks, std::uint64_t per_microsecond) noexcept
      : tasks_(tasks), mean_(unknown * per_microsecond) {}

  /// True if the time that the next task takes shall be told.
  bool times() noexcept {
    if (tasks_ == 0 || --until_sample_ != 0) return false;
    until_sample_ = sample_interval;
    return true;
  }
  void ran(std::uint64_t duration) noexcept {
    mean_ = is_known_ ? mean_ - mean_ / 4 + duration / 4 : duration;
    is_known_ = true;
  }

  /// True if the worker, whose domain has nothing for it at `now()`, is not to take what is at home
  /// in another domain. Asks `now()` only if it matters. `least`: what a first wait takes at least,
  /// where the work of the moment deserves more patience than its policy has.
  template <class Now>
  [[nodiscard]] bool stays(Now now, std::uint64_t least = 0) noexcept {
    if (tasks_ == 0 && least == 0) return false;
    const std::uint64_t time = now();
    if (until_ == 0) until_ = std::max<std::uint64_t>(time + longest(least), 1);
    if (time < until_) return true;
    went_far_ = true;
    return false;
  }
  /// It has found a task.
  void works() noexcept {
    if (until_ == 0) return;
    until_ = 0;
    in_vain_ = went_far_ ? std::min(in_vain_ + 1, most_in_vain) : 0;
    went_far_ = false;
  }
  /// How long it still waits; 0 if it does not.
  [[nodiscard]] std::uint64_t left(std::uint64_t now) const noexcept {
    return until_ > now ? until_ - now : 0;
  }

 private:
  [[nodiscard]] std::uint64_t longest(std::uint64_t least) const noexcept {
    return std::max(mean_ * tasks_, least) >> (in_vain_ / in_a_row);
  }

  static constexpr std::uint64_t unknown = 50;  // microseconds, of a task before the first
  static constexpr std::uint32_t sample_interval = 8;
  static constexpr std::uint32_t in_a_row = 4;
  static constexpr std::uint32_t most_in_vain = 8 * in_a_row;

  std::uint32_t tasks_;
  std::uint32_t until_sample_ = 1;
  std::uint32_t in_vain_ = 0;  ///< waits in a row
  bool is_known_ = false;
  bool went_far_ = false;  ///< or could have: its present wait is over
  std::uint64_t mean_;
  std::uint64_t until_ = 0;  ///< 0: it has work, or has not looked beyond its domain yet
};

}  // namespace lares::decide
