// Medians or means with their ranges, a row each, and their picture.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lares::bench {

/// One row: a name, what is typical, and from where to where it ranges.
struct RangeRow {
  std::string name;
  double typical = 0;  ///< at least 0, as are the others
  double least = 0;
  double most = 0;
  bool other = false;  ///< in the second colour
};

/// Rows that are to be compared, under a name.
struct RangeGroup {
  std::string name;
  std::vector<RangeRow> rows;
};

/// A value to be seen across all rows.
struct RangeMark {
  double value = 0;
  std::string name;
};

struct RangeRows {
  std::string title;
  std::string about;  ///< a line below the title
  std::string axis;
  std::vector<RangeGroup> groups;
  bool dots = false;  ///< what is typical is a dot, and not the end of a bar
  std::optional<RangeMark> mark;
  std::optional<double> cut;  ///< the axis ends here; what lies beyond is an arrow at its end
};

/// The rows as an SVG 1.1 file, from top to bottom on one scale that begins at 0; beside each its
/// figures. A thin line goes from the least to the most. Light and dark, as the viewer prefers. It
/// is as large as its names and rows need; names may hold any text. Without rows it is an empty
/// frame.
std::string to_svg(const RangeRows& all);

}  // namespace lares::bench
