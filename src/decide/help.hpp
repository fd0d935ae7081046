// What a creator does before it makes the next task, if too many with dependences are unfinished.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "base/ids.hpp"
#include "decide/limits.hpp"

namespace lares::decide {

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
    if (unfinished <= most_waiting_children()) return Step::create;
    found = creator.find_work();
    if (found) {
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
    if (fruitless_ == looks) until_ = time + wait_for_fewer(unfinished);
    return time >= until_ ? Step::create : Step::pause;
  }

  bool has_run_own_ = false;
  int fruitless_ = 0;
  Nanoseconds until_{};
};

}  // namespace lares::decide
