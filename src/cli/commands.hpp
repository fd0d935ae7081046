// The commands of `lares`: one file each, one line each in the table.
#pragma once

#include <CLI/CLI.hpp>
#include <utility>

#include "base/result.hpp"

namespace lares::cli {

/// Thrown by a command, or by the callback of an option, to say that the user made a mistake: main
/// prints the sentence on standard error and ends with the status.
struct UserMistake {
  Error error;
  int status = 2;
};

/// The value of `result`, or the end of the command with its sentence.
template <class T>
T expect(Result<T> result) {
  if (!result) throw UserMistake{result.error()};
  return std::move(result.value());
}

/// Thrown by a command to end with a status of its own.
struct ExitStatus {
  int status = 0;
};

/// Each adds one subcommand with its options, its help and its callback. What the callback needs
/// lives in the callback: `app` outlives the parse.
void add_run(CLI::App& app);
void add_stall(CLI::App& app);
void add_topo(CLI::App& app);
void add_places(CLI::App& app);
void add_distances(CLI::App& app);
void add_measure(CLI::App& app);
void add_bench(CLI::App& app);
void add_policies(CLI::App& app);
void add_doctor(CLI::App& app);
void add_lab(CLI::App& app);
void add_simulate(CLI::App& app);

/// One row of the table.
struct Command {
  const char* name;
  void (*add)(CLI::App& app);
};

/// In the order of `lares --help`. A new command is one file and one line here.
// clang-format off: one line each
inline constexpr Command commands[] = {
    {"run", add_run},
    {"stall", add_stall},
    {"topo", add_topo},
    {"places", add_places},
    {"distances", add_distances},
    {"measure", add_measure},
    {"bench", add_bench},
    {"policies", add_policies},
    {"doctor", add_doctor},
    {"lab", add_lab},
    {"simulate", add_simulate},
};
// clang-format on

}  // namespace lares::cli
