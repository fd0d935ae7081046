// The median of repeated measurements, and how far they lie apart.
#pragma once

#include <vector>

#include "machine/measurements.hpp"

namespace lares::measure {

/// Rounded to four significant digits, which is more than any measurement holds. Of an even number
/// the upper median. Precondition: not empty.
machine::Spread spread_of(std::vector<double> values);

}  // namespace lares::measure
