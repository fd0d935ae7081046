// Medians and quantiles as text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lares::bench {

/// Ascending.
struct Quantiles {
  double q5 = 0;
  double q25 = 0;
  double median = 0;
  double q75 = 0;
  double q95 = 0;
};

struct QuantileLine {
  std::string name;
  Quantiles values;  ///< at least 0
};

/// A line per entry, "  NAME |   --==#=-   |": '-' from the 5 to the 95 % quantile, '=' from the 25
/// to the 75 % one, '#' at the median. All lines have one scale, from 0 at the first bar to the
/// largest value at the last, `width` characters further. Names are padded to the longest.
std::string quantile_lines(const std::vector<QuantileLine>& lines, std::size_t width);

}  // namespace lares::bench
