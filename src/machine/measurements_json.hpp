// The part of a machine file that `lares measure` writes.
#pragma once

#include <cstddef>
#include <string>

#include "machine/json_field.hpp"
#include "machine/measurements.hpp"

namespace lares::machine {

/// `"measurements": {...}` with one line per measurement, without a final line break.
std::string measurement_lines(const Measurements& measurements, std::size_t domains);

/// Throws Problem.
Measurements read_measurements(const Field& field, std::size_t domains);

}  // namespace lares::machine
