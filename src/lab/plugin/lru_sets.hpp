// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
// The order of the lines in a set-associative cache. Whether a line is still held, the directory
// says.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "lab/plugin/line.hpp"

namespace lares::lab::counting {

/// Sets of ways, each set with its most recently used line first. A line's set is its number modulo
/// the number of sets, which is a multiple of lines_per_page (LineFilter relies on it).
/// Thread safety: one thread at a time per set.
class LruSets {
 public:
  /// Precondition: sets and ways are at least 1.
  LruSets(std::size_t sets, unsigned ways)
      : sets_(static_cast<Line>(sets)), ways_(ways), lines_(sets * ways, no_line) {}

  [[nodiscard]] std::size_t set_of(Line line) const noexcept { return line % sets_; }

  /// Makes `line` the most recent of its set. False, and nothing changes, if it is not there.
  bool touch(Line line) noexcept {
    const auto set = begin_of(line);
    const auto end = set + ways_;
    const auto at = std::find(set, end, line);
    if (at == end) return false;
    std::rotate(set, at, at + 1);
    return true;
  }

  /// Puts `line` in as the most recent. Returns the line that had to go, or no_line.
  /// Precondition: it is not there.
  Line insert(Line line) noexcept {
    const auto set = begin_of(line);
    const auto last = set + (ways_ - 1);
    const Line out = *last;
    std::copy_backward(set, last, last + 1);
    *set = line;
    return out;
  }

  /// Every line that is there, in no order that means anything.
  [[nodiscard]] const std::vector<Line>& lines() const noexcept { return lines_; }

 private:
  [[nodiscard]] std::vector<Line>::iterator begin_of(Line line) noexcept {
    return lines_.begin() + static_cast<std::ptrdiff_t>(set_of(line) * ways_);
  }

  Line sets_;
  unsigned ways_;
  std::vector<Line> lines_;
};

}  // namespace lares::lab::counting
