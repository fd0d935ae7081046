// Runs the small tools that the image needs (apt-get, dpkg-deb, ld.so, xz) and collects what they
// say.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"

namespace lares::lab {

struct CommandOptions {
  std::vector<std::string> environment = {};  ///< NAME=VALUE, in front of what the process inherits
  std::vector<std::string> unset = {};        ///< names that the command shall not inherit
  std::string folder = {};                    ///< where it runs; empty: here
  Bytes output_limit{std::uint64_t{64} << 20U};  ///< of standard output and of standard error
  std::function<void()> while_waiting = {};      ///< called some ten times a second
};

struct CommandResult {
  int exit_status = 0;  ///< as a shell says it: 128 + N for signal N
  std::string output;
  std::string errors;
};

/// Runs `words[0]`, found in PATH, with empty standard input; it does not outlive this process.
/// Errors: it could not be started, said too much, or a signal that is held came: then it was
/// ended.
Result<CommandResult> run_command(const std::vector<std::string>& words,
                                  const CommandOptions& options = {});

/// The last line of `text` that is not empty: what a tool says before it fails.
std::string last_line(std::string_view text);

}  // namespace lares::lab
