// Series of measurements over one quantity, and their picture.
#pragma once

#include <string>
#include <vector>

#include "machine/measurements.hpp"

namespace lares::bench {

struct Point {
  double x = 0;
  machine::Spread y;
};

struct Series {
  std::string name;
  std::vector<Point> points;  ///< by x, ascending
};

/// What a benchmark gives; the table, CSV, JSON and picture all show this.
struct Chart {
  std::string title;
  std::string x_label;
  std::string y_label;
  bool x_logarithmic = false;  ///< in powers of two
  bool y_logarithmic = false;  ///< in powers of ten
  std::vector<Series> series;
  bool x_kibibytes =
      false;  ///< x counts KiB, and x_label ends so; the picture has 16 MiB for 16384
};

/// The chart as an SVG 1.1 file: medians joined by lines, a bar from the least to the most at each
/// point, a legend. Series stand a little beside each other, so that bars do not hide bars. Colours
/// can be told apart by people who do not see red and green; markers differ, too. Names may hold
/// any text. A chart without points is an empty frame.
std::string to_svg(const Chart& chart);

/// Round numbers that cover [least, most], five or so: 0, 5, 10 or, logarithmic, 1, 10, 100. With
/// `whole`, no fractions.
std::vector<double> ticks_between(double least, double most, bool logarithmic, double base,
                                  bool whole = false);

}  // namespace lares::bench
