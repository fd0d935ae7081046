#include "analysis/record_clock.hpp"

#include <algorithm>

namespace lares::analysis {
namespace {

/// Two readings of a clock are some tens of nanoseconds wrong: this far apart that is nothing.
constexpr std::uint64_t far_enough = 1'000'000;

// Far enough apart, and neither clock has stepped back in between.
bool are_far(const ClockPair& first, const ClockPair& last) {
  return last.ticks > first.ticks && last.nanoseconds > first.nanoseconds &&
         last.nanoseconds - first.nanoseconds >= far_enough;
}

double rate_between(const ClockPair& first, const ClockPair& last) {
  return static_cast<double>(last.nanoseconds - first.nanoseconds) /
         static_cast<double>(last.ticks - first.ticks);
}

}  // namespace

RecordClock::RecordClock(ClockPair start, std::uint64_t guess,
                         const std::vector<ClockPair>& pairs) {
  pairs_.reserve(pairs.size() + 1);
  pairs_.push_back(start);
  pairs_.insert(pairs_.end(), pairs.begin(), pairs.end());
  rate_ = 1000.0 / static_cast<double>(std::clamp<std::uint64_t>(guess, 1, 1'000'000));
  if (are_far(pairs_.front(), pairs_.back())) rate_ = rate_between(pairs_.front(), pairs_.back());
  look_up_rate();
}

void RecordClock::look_up_rate() noexcept {
  const bool has_next = at_ + 1 < pairs_.size();
  rate_here_ = has_next && are_far(pairs_[at_], pairs_[at_ + 1])
                   ? rate_between(pairs_[at_], pairs_[at_ + 1])
                   : rate_;
}

void RecordClock::pass() noexcept {
  if (at_ + 1 == pairs_.size()) return;
  ++at_;
  look_up_rate();
}

std::uint64_t RecordClock::nanoseconds(std::uint64_t ticks) noexcept {
  const ClockPair& pair = pairs_[at_];
  const double since =
      ticks > pair.ticks ? static_cast<double>(ticks - pair.ticks) * rate_here_ : 0;
  const double most = static_cast<double>(most_recorded_nanoseconds);
  std::uint64_t time = std::min(pair.nanoseconds, most_recorded_nanoseconds) +
                       static_cast<std::uint64_t>(std::min(since, most));
  if (at_ + 1 < pairs_.size()) time = std::min(time, pairs_[at_ + 1].nanoseconds);
  last_ = std::max(last_, std::min(time, most_recorded_nanoseconds));
  return last_;
}

}  // namespace lares::analysis
