// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
// Named spans of time in which traffic is counted apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/plugin/traffic.hpp"

namespace lares::lab::counting {

/// One name's matrix: the sum over all spans between a first begin and its last end.
struct Region {
  std::string name;
  std::uint64_t entered = 0;  ///< how often it began while it was closed
  bool left_open = false;     ///< it was closed by finish()
  unsigned depth = 0;
  Traffic counted;
};

/// Thread safety: one thread at a time.
class Regions {
 public:
  static constexpr std::size_t max_regions = 256;

  explicit Regions(Node nodes) : nodes_(nodes) {}

  /// `now` is all traffic up to now. A name beyond max_regions is left out and counted.
  void begin(std::string_view name, const Traffic& now);
  /// An end without a begin is counted and otherwise ignored.
  void end(std::string_view name, const Traffic& now);
  /// Closes what is open.
  void finish(const Traffic& now);

  /// In the order of their first begin.
  [[nodiscard]] const std::vector<Region>& all() const noexcept { return regions_; }
  [[nodiscard]] std::uint64_t unmatched_ends() const noexcept { return unmatched_ends_; }
  [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }

 private:
  [[nodiscard]] Region* find(std::string_view name) noexcept;

  Node nodes_;
  std::vector<Region> regions_;
  std::uint64_t unmatched_ends_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace lares::lab::counting
