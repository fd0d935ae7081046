// Lares' own machine file: JSON, versioned, strict. See docs/machine-file.md.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "machine/machine.hpp"

namespace lares::machine {

/// The file of a valid machine, one line per domain, core and row. parse_machine_file reads it back
/// to an equal machine.
std::string to_machine_file(const Machine& machine);

/// Reads any bytes; what it returns is valid. Errors name `file` and the field that is wrong.
Result<Machine> parse_machine_file(std::string_view text, std::string_view file);

}  // namespace lares::machine
