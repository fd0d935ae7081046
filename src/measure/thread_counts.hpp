// At how many threads synchronisation is measured, and how often for one value.
#pragma once

#include <cstddef>
#include <vector>

namespace lares::measure {

inline constexpr std::size_t barriers_per_value = 200;
inline constexpr std::size_t regions_per_value = 50;

/// 1, 2, 4, ... and `all`.
inline std::vector<std::size_t> thread_counts(std::size_t all) {
  std::vector<std::size_t> counts;
  for (std::size_t count = 1; count < all; count *= 2) counts.push_back(count);
  counts.push_back(all);
  return counts;
}

}  // namespace lares::measure
