// Two runs beside each other: where one fetched from elsewhere what the other had at home.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/counts/counts.hpp"

namespace lares::lab {

/// One run of a comparison.
struct NamedCounts {
  std::string name;  ///< for people: a file's name, say
  Counts counts;
};

/// A region that both runs have, or one of them.
struct RegionComparison {
  std::string name;
  std::optional<RegionSummary> first;
  std::optional<RegionSummary> second;
  /// Lines from memory. Both have a matrix only if both runs have the region and as many nodes.
  std::optional<Matrix> first_memory;
  std::optional<Matrix> second_memory;
};

/// The regions of the first run in its order, then those that only the second has.
std::vector<RegionComparison> compare(const Counts& first, const Counts& second);

/// For people.
std::string comparison_text(const NamedCounts& first, const NamedCounts& second, bool colour);

/// One JSON object, format "lares-lab-comparison", version 1, indented, with a line end. Ratios are
/// second to first, and null where the first is 0.
std::string comparison_json(const NamedCounts& first, const NamedCounts& second);

}  // namespace lares::lab
