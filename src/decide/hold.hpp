// The tasks of a new series, which wait at their creator until it is known how many they are, and
// so where each belongs: for how long, and what shows that nobody should wait.
//
// Others idle meanwhile. So a few tasks are run at once to see whether the wait pays: not if a task
// is over sooner than it takes to send it anywhere, nor if its creator is what all wait for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "decide/limits.hpp"
#include "decide/thrift.hpp"

namespace lares::decide {

/// So many held tasks keep the others busy while one of them is tried; `flat`: the first of
/// OwnQueueLimits. Some are tried before there is no room for more.
inline std::int64_t enough_held(std::int64_t flat) noexcept {
  return std::min(flat, deque_room() / 2);
}

/// One creator's; no other thread touches it. All times in ticks of the executor's clock.
class Hold {
 public:
  /// What becomes of the next task.
  enum class Next : std::uint8_t {
    keep,
    run_for_pace,    ///< it runs at once: does its creator take as long for making one?
    run_for_length,  ///< it runs at once: is it tiny?
  };
  /// What may end a hold: see goes_on_after().
  enum class End : std::uint8_t {
    none,
    slow_creator,
    tiny_tasks,
    late,   ///< all of them take too long
    pause,  ///< this one came late
  };

  explicit Hold(std::uint64_t per_microsecond) noexcept : per_microsecond_(per_microsecond) {}

  /// So many are held.
  [[nodiscard]] std::int64_t count() const noexcept { return count_; }
  /// The shortest time between two of them, or of the last ones that were held: how fast their
  /// creator is.
  [[nodiscard]] std::uint64_t fastest() const noexcept { return fastest_; }
  /// Until when others shall leave them alone; 0: nothing is held.
  [[nodiscard]] std::uint64_t until() const noexcept { return until_; }

  /// Before the first task.
  void begin(std::uint64_t now) noexcept {
    since_ = now;
    fastest_ = std::numeric_limits<std::uint64_t>::max();
  }
  /// `enough`: so many keep the others busy while one runs. Of tasks with dependences only some
  /// are held: `has_pace` is false, since their pace is not that of their creation.
  [[nodiscard]] Next next(std::int64_t enough, bool has_pace) noexcept {
    if (has_pace && tries_ == 0 && count_ == limits::held_before_pace && is_leisurely()) {
      ++tries_;
      return Next::run_for_pace;
    }
    if (count_ < enough || tries_ == most_tries) return Next::keep;
    ++tries_;
    return Next::run_for_length;
  }
  /// A task has run at once, as next() said, and taken so long.
  [[nodiscard]] End ran(Next why, std::uint64_t duration) const noexcept {
    if (why == Next::run_for_pace) {
      return duration < 2 * fastest_ ? End::slow_creator : End::none;
    }
    return Thrift::is_tiny(duration, per_microsecond_) ? End::tiny_tasks : End::none;
  }
  /// That task came to so many pages that nobody had touched.
  void touched(std::uint64_t pages) noexcept { fresh_ += pages != 0 ? 1 : 0; }
  /// True if those that ran at once show that what the others touch first is new memory. One of
  /// them may have been the first user of a stack or a library.
  [[nodiscard]] bool comes_to_new_memory() const noexcept { return fresh_ + 1 >= most_tries; }
  /// One more is held.
  [[nodiscard]] End kept(std::uint64_t now) noexcept {
    if (++count_ > 1) fastest_ = std::min(fastest_, now - last_);
    last_ = now;
    const bool paused = until_ != 0 && now >= until_;
    until_ = held_until(since_, now, per_microsecond_);
    if (until_ <= now) return End::late;
    return paused ? End::pause : End::none;
  }
  /// True if it ends since its creator was too slow, for once or on the whole.
  static bool is_hurry(End why) noexcept { return why == End::late || why == End::pause; }
  /// A thread that was kept from its core, as where several share one, comes back and makes the
  /// others soon; the others have taken tasks meanwhile, the oldest first. So a pause ends a hold
  /// only after several, the newest included.
  static bool goes_on_after(End why, std::uint32_t pauses) noexcept {
    return why == End::none || (why == End::pause && pauses < limits::most_hurried);
  }
  void end() noexcept {
    count_ = 0;
    tries_ = 0;
    fresh_ = 0;
    until_ = 0;
  }

 private:
  // The first tasks may meet cold caches.
  static constexpr std::int64_t most_tries = 4;

  [[nodiscard]] bool is_leisurely() const noexcept {
    return fastest_ >= to_ticks(limits::leisurely, per_microsecond_);
  }

  std::uint64_t per_microsecond_;
  std::int64_t count_ = 0;
  std::int64_t tries_ = 0;
  std::int64_t fresh_ = 0;  ///< of those, that came to new memory
  std::uint64_t since_ = 0;
  std::uint64_t last_ = 0;
  std::uint64_t fastest_ = 0;  ///< between two of them: a thread may be kept from its core
  std::uint64_t until_ = 0;
};

}  // namespace lares::decide
