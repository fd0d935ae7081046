// What `lares lab run` and `lares lab shell` have in common: from a guest and a program to the exit
// status.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "cli/commands.hpp"
#include "cli/lab/carried.hpp"
#include "cli/lab/guest_options.hpp"
#include "cli/launch/environment.hpp"
#include "cli/launch/program.hpp"
#include "lab/session/session.hpp"

namespace lares::cli {

/// Exit statuses besides the program's own and those of program.hpp; 124 is that of timeout(1).
inline constexpr int status_lab_failed = 125;
inline constexpr int status_timed_out = 124;

/// The options of both commands. Must outlive the parse.
struct GuestRunOptions {
  GuestOptions guest;
  CarryOptions carry;
  std::string timeout;
  std::string boot_timeout;
};

void add_guest_run_options(CLI::App& command, GuestRunOptions& options);

/// A run that is ready to begin. Making one reads the options and finds the program, and throws
/// UserMistake or ExitStatus after having said what is wrong.
class GuestRun {
 public:
  /// The first word names the program.
  GuestRun(const GuestRunOptions& options, std::vector<std::string> words,
           const Environment& environment);

  /// What the caller may still change: counting, the environment.
  lab::SessionSettings settings;
  lab::ImageContents contents;

  /// Boots, runs, and says what there is to say besides the program's own output.
  lab::Outcome operator()();

 private:
  [[nodiscard]] lab::Image make_image() const;
  void check_room(const lab::Image& image) const;
};

/// Ends the command as the program ended, by status or by signal.
[[noreturn]] void end_as(const lab::Outcome& outcome);

/// One sentence on standard error.
void say(std::string_view sentence);

/// For what is no mistake of the user's: the lab itself cannot work here. The value, or its
/// sentence and the end of the command.
template <class T>
T expect_of_lab(Result<T> result) {
  if (!result) {
    say(result.error().sentence);
    throw ExitStatus{status_lab_failed};
  }
  return std::move(result.value());
}

}  // namespace lares::cli
