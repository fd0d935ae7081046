// Lares' own machine file: JSON, versioned, strict. See docs/machine-file.md.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "machine/machine.hpp"
#include "machine/measurements.hpp"

namespace lares::machine {

/// The file of a valid machine and of what was measured on it, one line per domain, core, row and
/// measurement. The functions below read back what is equal.
std::string to_machine_file(const Machine& machine, const Measurements& measurements = {});

/// Reads any bytes; what it returns is valid. Errors name `file` and the field that is wrong.
Result<Machine> parse_machine_file(std::string_view text, std::string_view file);

/// The other part of the same file; empty if it has none. Errors as those of parse_machine_file.
Result<Measurements> parse_measurements(std::string_view text, std::string_view file);

}  // namespace lares::machine
