// How long a worker whose domain has no tasks leaves other domains' alone: its own domain's next
// ones may be about to become ready, and whoever else comes for them has to go far, too.
#pragma once

#include <algorithm>
#include <cstdint>

namespace lares::decide {

/// One worker's; no other thread touches it. All times in ticks of the executor's clock.
///
/// It waits only if it has run a task that was at home with it: where all data is elsewhere,
/// nothing of its own is about to become ready. Where several waits in a row are in vain, as where
/// all data is in one domain, they become shorter and shorter, so that all of them together take
/// `in_a_row` * 2 times the first, about; one that is rewarded by a task of the own domain makes
/// them long again.
class Restraint {
 public:
  /// `tasks`: it waits for as long as so many of its tasks take, at most.
  Restraint(std::uint32_t tasks, std::uint64_t per_microsecond) noexcept
      : tasks_(tasks), shortest_(per_microsecond), mean_(unknown * per_microsecond) {}

  /// True if the time that the next task takes shall be told.
  bool times() noexcept {
    if (!may_be_patient() || --until_sample_ != 0) return false;
    until_sample_ = sample_interval_;
    sample_interval_ = std::min(2 * sample_interval_, longest_sample_interval);
    return true;
  }
  void ran(std::uint64_t duration) noexcept {
    mean_ = is_known_ ? mean_ - mean_ / 4 + duration / 4 : duration;
    is_known_ = true;
  }

  /// True if the worker, whose domain has nothing for it at `now()`, is not to take what another
  /// domain has. Asks `now()` only if it matters. `least`: what a first wait takes at least (and
  /// eight times as long at most; no longer than 8 of its tasks take, once that is known), where
  /// the work of the moment deserves more patience than its policy has.
  template <class Now>
  [[nodiscard]] bool stays(Now now, std::uint64_t least = 0) noexcept {
    if (least == 0 && !is_patient()) return false;
    const std::uint64_t time = now();
    if (until_ == 0) {
      began_ = time;
      until_ = std::max<std::uint64_t>(time + longest(least), 1);
    }
    if (time < until_) return true;
    went_far_ = true;
    return false;
  }
  /// True if the wait that stays() speaks of is long enough for tasks that are nowhere at home: as
  /// long as its policy's patience, and not for long in any case.
  [[nodiscard]] bool has_stayed(std::uint64_t now) noexcept {
    const std::uint64_t enough = std::min(longest(0), most_for_homeless * shortest_);
    if (until_ == 0 || now < began_ + enough) return false;
    went_far_ = true;
    return true;
  }
  /// What stays() would answer for the sake of its policy.
  [[nodiscard]] bool would_stay(std::uint64_t now) const noexcept {
    return is_patient() && (until_ == 0 ? longest(0) != 0 : now < until_);
  }
  /// It has found a task, whose data is in its domain or is not. True if it is its first that is.
  /// `for_sure`: false if that is a guess which only comes true where new memory is touched.
  bool works(bool at_home, bool for_sure = true) noexcept {
    const bool is_first = at_home && !is_fed_;
    is_fed_ |= at_home;
    is_sure_ |= at_home && for_sure;
    if (until_ != 0) ends_wait();
    idle_since_ = 0;
    return is_first;
  }
  /// True if the worker, which has run a task that was at home with it, has found nothing at
  /// `now()` for no longer than so many of its tasks take.
  template <class Now>
  [[nodiscard]] bool may_wait(std::uint64_t tasks, Now now) noexcept {
    if (!is_fed_) return false;
    const std::uint64_t time = now();
    if (idle_since_ == 0) idle_since_ = std::max<std::uint64_t>(time, 1);
    return time < idle_since_ + tasks * mean_;
  }
  /// True once it has run a task that was at home for sure.
  [[nodiscard]] bool is_sure() const noexcept { return is_sure_; }
  /// How long it still waits; 0 if it does not.
  [[nodiscard]] std::uint64_t left(std::uint64_t now) const noexcept {
    return until_ > now ? until_ - now : 0;
  }

 private:
  void ends_wait() noexcept {
    until_ = 0;
    in_vain_ = went_far_ ? std::min(in_vain_ + 1, most_in_vain) : 0;
    went_far_ = false;
  }
  [[nodiscard]] bool may_be_patient() const noexcept { return is_fed_ && tasks_ != 0; }
  [[nodiscard]] bool has_long_tasks() const noexcept {
    return may_be_patient() && mean_ >= shortest_;
  }
  [[nodiscard]] bool is_patient() const noexcept { return is_sure_ && has_long_tasks(); }
  [[nodiscard]] std::uint64_t longest(std::uint64_t least) const noexcept {
    const bool is_worth_it = least != 0 || is_sure_;
    std::uint64_t by_policy = is_worth_it && has_long_tasks() ? mean_ * tasks_ : 0;
    // Waits in vain cost more than what is gained of small tasks.
    if (least != 0 && is_known_) least = std::min(least, most_tasks_at_first * mean_ + 1);
    // What deserves more patience deserves more of it where tasks are long.
    if (least != 0) by_policy = std::min(more * by_policy, more * least);
    return std::max(by_policy, least) >> (in_vain_ / in_a_row);
  }

  static constexpr std::uint64_t unknown = 50;  // microseconds, of a task before the first
  static constexpr std::uint32_t longest_sample_interval = 32;
  static constexpr std::uint32_t in_a_row = 4;
  static constexpr std::uint64_t more = 8;
  static constexpr std::uint64_t most_tasks_at_first = 8;
  static constexpr std::uint32_t most_in_vain = 8 * in_a_row;
  static constexpr std::uint64_t most_for_homeless = 100;  // microseconds

  std::uint32_t tasks_;
  std::uint32_t sample_interval_ = 1;
  std::uint32_t until_sample_ = 1;
  std::uint32_t in_vain_ = 0;  ///< waits in a row
  bool is_fed_ = false;        ///< has run a task that was at home with it
  bool is_sure_ = false;       ///< one was for sure
  bool is_known_ = false;
  bool went_far_ = false;   ///< or could have: its present wait is over
  std::uint64_t shortest_;  ///< a microsecond: a shorter task touches too little to wait for
  std::uint64_t mean_;
  std::uint64_t began_ = 0;       ///< the wait that ends with `until_`
  std::uint64_t until_ = 0;       ///< 0: it has work, or has not looked beyond its domain yet
  std::uint64_t idle_since_ = 0;  ///< 0: it has work, or has not been asked yet
};

}  // namespace lares::decide
