// Starts the program, stands in for it while it runs, and ends as it ended.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "analysis/summary.hpp"
#include "base/result.hpp"
#include "cli/launch/environment.hpp"

namespace lares::cli {

/// The program that ran.
struct Finished {
  pid_t pid = 0;
  analysis::Ending ending;
};

/// What is looked at now and then while the program runs; nothing if the period is 0.
struct Lookout {
  std::chrono::milliseconds period{0};
  std::function<void()> look;
};

/// Runs the file `path` with the arguments `words` (the first is its name) and waits for its end.
///
/// The program keeps the process group, the terminal, the open files, the signal mask and what
/// signals do. Signals that are sent to this process are passed on to it; those that a terminal
/// sends to the whole group are not, because the program has them already. When the program is
/// stopped from the terminal, this process stops too. If this process is killed, so is the program.
/// All signals are blocked in this process when it returns. An error says why the program could not
/// be started. Call once, with a single thread.
Result<Finished> run_program(const std::string& path, const std::vector<std::string>& words,
                             const Environment& environment, const Lookout& lookout = {});

/// Dies of `signal`, without a core dump: the program has left one if there should be one.
/// Returns only if that signal cannot end this process.
void die_of(int signal) noexcept;

/// Makes sure that no file that is opened from here on becomes the standard input, output or error
/// if one of these is closed. The program still finds them closed.
void guard_standard_streams() noexcept;

}  // namespace lares::cli
