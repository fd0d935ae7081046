// The summary at the end of `lares run`, as text for people or as JSON for programs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/advice.hpp"
#include "analysis/constructs.hpp"
#include "analysis/run_stats.hpp"

namespace lares::analysis {

/// How the program ended.
struct Ending {
  int exit_status = 0;  ///< meaningless if a signal ended it
  int signal = 0;       ///< 0 if none did
};

/// Everything that a summary tells.
struct Report {
  std::vector<std::string> command;  ///< the program and its arguments
  Ending ending;
  std::string machine;  ///< the machine's name
  Setting setting;
  std::string policy;        ///< canonical text
  std::string policy_words;  ///< for people: the parts of a preset named, too
  std::string binding;  ///< "close", "spread", "none", "as-is", "user": who bound the threads, how
  RunStats run;
  std::optional<Explanation> explanation;  ///< if the user has asked for one
  std::vector<std::string> notes;  ///< the launcher's own; those of the library are in `run`
};

/// The summary that `lares run` prints never has more lines than this.
inline constexpr std::size_t max_summary_lines = 12;

/// Lines for people, without a line end, each starting with "lares: ". At most `max_lines`; notes
/// that do not fit are counted in the last of them. A run without OpenMP gives its notes only.
/// Precondition: max_lines >= max_summary_lines.
std::vector<std::string> summary_text(const Report& report, std::size_t max_lines);

/// One JSON object, format version 1 (docs/run.md), indented, with a line end.
std::string summary_json(const Report& report);

}  // namespace lares::analysis
