// The options --machine and --domain, the same for every command that needs a machine.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "machine/machine.hpp"
#include "machine/measurements.hpp"

namespace lares::cli {

/// What the user chose. Must outlive the parse.
struct MachineOptions {
  std::string machine;                  ///< empty: the machine that this process runs on
  std::optional<machine::Level> level;  ///< empty: the default level of that machine
};

/// Adds --machine and --domain to `command`. A level that does not exist ends the parse with
/// UserMistake.
void add_machine_options(CLI::App& command, MachineOptions& options);

/// Adds --domain only, for commands that need the machine that they run on.
void add_domain_option(CLI::App& command, MachineOptions& options);

/// The machine that the options describe, or a sentence for the user.
Result<machine::Machine> load_machine(const MachineOptions& options);

/// What was measured on it; empty for a machine that is not described by a Lares machine file.
Result<machine::Measurements> load_measurements(const MachineOptions& options);

}  // namespace lares::cli
