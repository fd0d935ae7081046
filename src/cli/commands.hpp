// The commands of `lares`: one file each, and one line each in the table of the program that has
// it: lares.cpp, or study/study.cpp for those that `lares` starts as a program of its own.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
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
void add_policies(CLI::App& app);
void add_doctor(CLI::App& app);
void add_lab(CLI::App& app);

/// In the program lares-study: what measures and predicts, and what reads traced runs.
void add_measure(CLI::App& app);
void add_bench(CLI::App& app);
void add_simulate(CLI::App& app);
void add_report(CLI::App& app);
void add_export(CLI::App& app);
void add_model(CLI::App& app);

/// One row of a program's table.
struct Command {
  const char* name;
  void (*add)(CLI::App& app);  ///< null: lares-study has it
  const char* summary = "";    ///< of those
};

inline constexpr const char* measure_summary =
    "Measure bandwidth, latency, migration and synchronisation of this machine";
inline constexpr const char* bench_summary =
    "Benchmark this machine: bandwidth by distance and threads, malloc, first touch, loops";
inline constexpr const char* report_summary =
    "Say where the time of a traced run went, and what to do";
inline constexpr const char* simulate_summary =
    "Predict how a workload runs on a machine under each of several policies";
inline constexpr const char* model_summary =
    "Say what a described or traced program takes at least on a measured machine";
inline constexpr const char* export_summary =
    "Write a traced run for other tools: OTF2, Perfetto, speedscope, CSV, SQLite";

/// What a program that main.cpp makes consists of: one for each program.
struct Program {
  const char* name;
  const char* summary;
  const char* footer;
  std::span<const Command> commands;  ///< in the order of --help
};
extern const Program this_program;

}  // namespace lares::cli
