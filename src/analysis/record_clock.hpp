// Turns a stream's ticks into nanoseconds.
#pragma once

#include <cstdint>
#include <vector>

namespace lares::analysis {

/// Nine years: no clock of a running machine says more.
inline constexpr std::uint64_t most_recorded_nanoseconds = std::uint64_t{1} << 58U;

/// ticks() and now() at one moment.
struct ClockPair {
  std::uint64_t ticks = 0;
  std::uint64_t nanoseconds = 0;
};

/// Between two pairs by what they say, if they are far enough from each other; else at the rate of
/// all. Ticks may step back at a pair, as they do where a thread moves to a core that counts
/// otherwise; what comes out never does.
class RecordClock {
 public:
  /// `start`: of the process, before the stream. `guess`: ticks in a microsecond, used where all
  /// pairs are too close to each other.
  RecordClock(ClockPair start, std::uint64_t guess, const std::vector<ClockPair>& pairs);

  /// What follows comes after the next of the pairs.
  void pass() noexcept;
  /// Of an event. Called in the order of events. O(1).
  [[nodiscard]] std::uint64_t nanoseconds(std::uint64_t ticks) noexcept;

 private:
  void look_up_rate() noexcept;

  std::vector<ClockPair> pairs_;  ///< the start is the first
  double rate_ = 1;               ///< nanoseconds a tick, of all
  double rate_here_ = 1;          ///< after pair `at_`
  std::size_t at_ = 0;
  std::uint64_t last_ = 0;
};

}  // namespace lares::analysis
