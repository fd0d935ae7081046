// What a creator does before it makes the next task, if too many with dependences are unfinished.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "base/ids.hpp"
#include "decide/limits.hpp"

namespace lares::decide {

/// What a worker may still spend on waits in vain. Only it touches it.
///
/// Without this, a program whose other threads wait for its creator's next statement would go on,
/// but a second for each task is no progress that anybody notices.
class WaitBudget {
 public:
  [[nodiscard]] Nanoseconds left() const noexcept { return left_; }
  void spend(Nanoseconds time) noexcept { left_ = {left_.count - std::min(time, left_).count}; }
  /// A task was found, or there are fewer: waiting helps.
  void renew() noexcept { left_ = limits::wait_in_vain; }

 private:
  Nanoseconds left_ = limits::wait_in_vain;
};

/// A worker that creates tasks, as its executor shows it.
template <class C>
concept Creator = requires(C c) {
  typename C::Found;  // a task or none, as a condition tells
  { c.workers() } -> std::convertible_to<std::size_t>;
  { c.unfinished() } -> std::convertible_to<std::int32_t>;  // children of its current task
  { c.take_own() } -> std::same_as<typename C::Found>;      // decide::take_own
  { c.find_work() } -> std::same_as<typename C::Found>;     // decide::find_work
  { c.others_are_busy() } -> std::convertible_to<bool>;     // somebody else may run a task
  { c.now() } -> std::convertible_to<Nanoseconds>;
  { c.budget() } -> std::same_as<WaitBudget&>;
};

/// One such interruption: beyond a window it runs one task of its own place, which is warm in its
/// caches; beyond the bound on memory any, until there are fewer. Lives until it creates again.
class Help {
 public:
  enum class Step : std::uint8_t {
    run,     ///< the task that was found
    look,    ///< there may be one in a moment
    pause,   ///< others run tasks, and it has looked for long
    create,  ///< waiting makes no sense, or need not be: then memory grows
  };

  /// What comes next; asked again after each step but the last.
  template <Creator C>
  Step next(C creator, typename C::Found& found) {
    const std::int32_t unfinished = creator.unfinished();
    if (!has_run_own_) {
      has_run_own_ = true;
      if (unfinished > creation_window(creator.workers())) found = creator.take_own();
      if (found) return Step::run;
    }
    if (unfinished <= most_waiting_children()) {
      creator.budget().renew();
      return Step::create;
    }
    found = creator.find_work();
    if (found) {
      creator.budget().renew();
      fruitless_ = 0;
      return Step::run;
    }
    return wait(creator, unfinished);
  }

 private:
  static constexpr int looks = 64;

  template <Creator C>
  Step wait(C creator, std::int32_t unfinished) {
    if (++fruitless_ < looks) return Step::look;
    if (!creator.others_are_busy()) return Step::create;
    const Nanoseconds time = creator.now();
    if (fruitless_ == looks) {
      wait_ = std::min(wait_for_fewer(unfinished), creator.budget().left());
      until_ = time + wait_;
    }
    if (time < until_) return Step::pause;
    creator.budget().spend(wait_);
    return Step::create;
  }

  bool has_run_own_ = false;
  int fruitless_ = 0;
  Nanoseconds wait_{};
  Nanoseconds until_{};
};

}  // namespace lares::decide
