// The median of repeated measurements, and how far they lie apart.
#pragma once

#include <cstddef>
#include <vector>

#include "machine/measurements.hpp"

namespace lares::measure {

/// Rounded to four significant digits, which is more than any measurement holds. Of an even number
/// the upper median. Precondition: not empty.
machine::Spread spread_of(std::vector<double> values);

/// How many figures repeated badly.
struct Unsteady {
  std::size_t figures = 0;  ///< whose largest value is more than twice the smallest
  std::size_t of = 0;
};

/// On a machine that does nothing else hardly any figure is unsteady. O(figures).
Unsteady unsteady(const machine::Measurements& measurements);

}  // namespace lares::measure
