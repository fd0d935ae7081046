// `lares lab run --count`: the options, what the counter needs before the run, and what is shown
// after.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lab/counts/compare.hpp"
#include "lab/counts/counts.hpp"
#include "lab/guest.hpp"
#include "lab/image/file.hpp"
#include "lab/session/session.hpp"

namespace lares::cli {

/// What the user wrote. Must outlive the parse.
struct CountOptions {
  bool count = false;
  std::string json;     ///< --json: a file to write
  std::string compare;  ///< --compare: a file of an earlier run
};

/// Adds --count, --json and --compare.
void add_count_options(CLI::App& command, CountOptions& options);

/// The counts of a file, or the end with UserMistake.
lab::NamedCounts load_counts(const std::string& path);

/// Counts one run, if that is wished. Making one reads the file to compare with and finds the
/// counter, and throws UserMistake or ExitStatus if something is missing; so nothing is run in
/// vain.
class CountedRun {
 public:
  CountedRun(const CountOptions& options, const lab::Guest& guest,
             std::vector<std::string> command);

  /// For the session; nothing if nothing is counted. The CountedRun must outlive the session.
  [[nodiscard]] std::optional<lab::CountingHook> hook();

  /// Reads what was counted, writes --json's file, and shows matrices and comparison on standard
  /// error: standard output is the program's. Says a sentence if there are no counts. True if all
  /// that was wished for was done.
  [[nodiscard]] bool show() const;

 private:
  [[nodiscard]] Result<lab::Counts> counts() const;

  CountOptions options_;
  lab::Guest guest_;
  std::vector<std::string> command_;
  std::optional<lab::NamedCounts> earlier_;
  std::string argument_;
  lab::File map_;
  lab::File result_;
};

}  // namespace lares::cli
