// Bandwidth by footprint.
#pragma once

#include <vector>

#include "base/ids.hpp"
#include "model/units.hpp"

namespace lares::model {

/// Figures at some footprints, and all others between and beyond them.
class Curve {
 public:
  /// A second figure of the same footprint takes the place of the first.
  void add(Bytes footprint, Bandwidth rate);

  [[nodiscard]] bool empty() const noexcept { return points_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return points_.size(); }
  /// Precondition of these and of `at`: not empty.
  [[nodiscard]] Bytes smallest() const { return points_.front().footprint; }
  [[nodiscard]] Bytes largest() const { return points_.back().footprint; }
  /// Between two footprints a straight line on paper whose axes are logarithmic both; beyond the
  /// last, that one's.
  [[nodiscard]] Bandwidth at(Bytes footprint) const;
  /// Which part of an array's bytes no cache holds: from 0, as fast as the smallest footprint, to
  /// 1, as slow as the largest, by the time of a byte. 1 if there is only one point.
  [[nodiscard]] double memory_share(Bytes footprint) const;

 private:
  struct Point {
    Bytes footprint;
    Bandwidth rate;
  };
  std::vector<Point> points_;  // ascending
};

}  // namespace lares::model
