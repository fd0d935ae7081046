// What the user asked `lares run` for: options first, then LARES_* variables, then defaults.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/launch/binding.hpp"
#include "cli/launch/environment.hpp"
#include "cli/machine_options.hpp"
#include "machine/machine.hpp"
#include "policy/loop_choice.hpp"
#include "policy/registry.hpp"

namespace lares::cli {

/// The options as they were written; empty where an option was not given. Must outlive the parse.
struct RunOptions {
  MachineOptions machine;
  std::string policy;
  std::string loops;
  std::string bind;
  std::string bubbles;
  std::string placement;
  std::vector<std::string> summary;  ///< FORMAT FILE, or empty
  std::string record;
  std::string trace;
  std::string stall;
  std::string record_limit;
  bool pages = false;
  bool learn = false;
  bool explain = false;
  bool quiet = false;
  std::vector<std::string> program;  ///< protected (launch/words.hpp)
};

/// Where the summary goes.
struct SummaryTarget {
  bool json = false;
  std::string file;  ///< empty: standard error
};

/// Everything that a run needs to know, checked.
struct RunSettings {
  machine::Machine machine;
  policy::Choice policy;
  policy::LoopChoice loops;
  BindChoice bind = BindChoice::automatic;
  std::string bubbles;                   ///< the scheduler that places teams; empty: none
  std::string placement;                 ///< as memory::parse_placement reads it; empty: bring
  std::optional<SummaryTarget> summary;  ///< nothing: text on standard error, unless quiet
  Bytes record_limit;                    ///< what the record may take until the program's end
  std::string record;                    ///< where the task graph goes; empty: nowhere
  std::string trace;                     ///< the trace's folder; empty: none
  bool pages = false;                    ///< the trace tells who touched which pages first
  std::chrono::milliseconds stall{0};    ///< longest time without progress; 0: nobody watches
  bool nothing_to_learn = false;         ///< --learn on a machine with one memory node
  bool explain = false;                  ///< tell of each construct how its data was located
  bool quiet = false;
};

/// Checks the options and the LARES_* variables, and looks at the machine. An error names the
/// option or the variable, its value, and the accepted ones.
Result<RunSettings> settle(const RunOptions& options, const Environment& environment);

/// One sentence about LARES_* variables that Lares does not know, most likely misspelt; or nothing.
std::optional<std::string> unknown_variables(const Environment& environment);

}  // namespace lares::cli
