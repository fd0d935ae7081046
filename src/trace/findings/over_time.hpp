// What a trace says of its course: how many grains ran and waited, and what went between domains.
#pragma once

#include "trace/findings/findings.hpp"

namespace lares::trace {

/// Sums of intervals' lengths in slices of equal length. An interval costs O(1), however many
/// slices it covers.
class Slices {
 public:
  /// At least one slice; `duration` 0 makes slices of one nanosecond.
  Slices(Time duration, std::size_t count);
  void add(Time begin, Time end, double weight = 1);
  [[nodiscard]] Time length() const noexcept { return length_; }
  [[nodiscard]] std::size_t at(Time time) const noexcept;
  /// Mean sum of weights in each slice.
  [[nodiscard]] std::vector<double> means() const;

 private:
  Time length_;
  std::vector<double> partly_;  ///< nanoseconds
  std::vector<double> whole_;   ///< differences between neighbours
};

/// Fills in `parallelism` and `traffic`, after `bytes`. O(grains + waits).
void add_course(const Trace& trace, Findings& findings);

}  // namespace lares::trace
