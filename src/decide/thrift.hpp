// A thief's thrift: fetching a task from another core costs hundreds of nanoseconds on both sides,
// so whoever fetched tasks that took less than that waits a little before it fetches again.
#pragma once

#include <algorithm>
#include <cstdint>

namespace lares::decide {

/// One worker's; no other thread touches it. All times in ticks of the executor's clock.
class Thrift {
 public:
  explicit Thrift(std::uint64_t per_microsecond) noexcept
      : worthwhile_(std::max<std::uint64_t>(per_microsecond / 2, 1)) {}

  /// True if the time that a task takes shall be told: `fetched` if another worker made it.
  bool times(bool fetched) noexcept {
    if (--until_sample_ != 0) return fetched;
    until_sample_ = sample_interval;
    return true;
  }
  /// A task that this worker ran took so long; one long task is no habit.
  void ran(bool fetched, std::uint64_t duration, std::uint64_t now) noexcept {
    mean_ = mean_ - mean_ / 4 + std::min(duration, 64 * worthwhile_) * parts / 4;
    if (fetched) learn(duration, now);
  }
  /// True if a task that takes so long is over sooner than it takes to send it to another core.
  [[nodiscard]] static bool is_tiny(std::uint64_t duration,
                                    std::uint64_t per_microsecond) noexcept {
    return 2 * duration < per_microsecond;
  }
  /// The same of most tasks.
  [[nodiscard]] bool tasks_are_tiny() const noexcept { return mean_ < worthwhile_ * parts; }

  /// True if the last task that was fetched was not worth it.
  [[nodiscard]] bool is_learning() const noexcept { return pause_ != 0; }
  /// What was learnt no longer counts.
  void forget() noexcept { pause_ = 0; }
  /// True while it is not yet time to fetch again. Asks `now()` only if it matters.
  template <class Now>
  [[nodiscard]] bool pauses(Now now) const noexcept {
    return pause_ != 0 && now() < until_;
  }

 private:
  void learn(std::uint64_t duration, std::uint64_t now) noexcept {
    if (duration >= worthwhile_) {
      pause_ = 0;
      return;
    }
    // From a third of a microsecond to five.
    const std::uint64_t shortest = worthwhile_ * 2 / 3 + 1;
    pause_ = std::min(std::max(pause_ * 2, shortest), 16 * shortest);
    until_ = now + pause_;
  }

  static constexpr std::uint32_t sample_interval = 32;
  static constexpr std::uint64_t parts = 16;  // of a tick: some counters have few in a short task

  // About half a microsecond: what a task costs that changes cores (measured with bench/overhead:
  // 300-400 ns). A wrong scale only shifts where thrift sets in.
  std::uint64_t worthwhile_;
  std::uint32_t until_sample_ = sample_interval;
  std::uint64_t mean_ = 4 * worthwhile_ * parts;  // until the first samples tasks count as worth it
  std::uint64_t pause_ = 0;
  std::uint64_t until_ = 0;
};

}  // namespace lares::decide
