// The programs that `lares bench` starts: a process of its own for each run, since a process has
// one OpenMP runtime.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/machine_options.hpp"
#include "cli/output.hpp"
#include "machine/machine.hpp"

namespace lares::cli {

/// What every command that starts such programs takes.
struct BenchProgramOptions {
  MachineOptions machine;
  std::string compiler;     ///< empty: gcc's program, or else clang's
  std::size_t threads = 0;  ///< at most; 0: one per core
  Format format = Format::text;
};

/// Adds --domain, --threads, --compiler and --format. `options` must outlive the parse.
void add_bench_program_options(CLI::App& command, BenchProgramOptions& options);

/// Adds an option that takes some of `words`, with commas between. `chosen` must outlive the parse.
void add_choice(CLI::App& command, const char* name, std::vector<std::string>& chosen,
                const char* about, const std::vector<std::string>& words);

/// Prints the report as the options say: the overloads to_text, to_json, to_csv of it.
template <class Report>
void print_report(const Report& report, Format format) {
  if (format == Format::json) {
    fmt::print("{}", to_json(report));
  } else if (format == Format::csv) {
    fmt::print("{}", to_csv(report));
  } else {
    fmt::print("{}", to_text(report, Palette(wants_colour(stdout))));
  }
}

/// On which CPUs a program runs, and what its domains are.
struct BenchTeam {
  const machine::Machine& machine;
  std::vector<OsCpu> cpus;  ///< thread t is bound to cpus[t]
};

/// One thread per core, domain after domain, at most `threads` if that is not 0.
BenchTeam close_team(const machine::Machine& machine, std::size_t threads);

/// The domains that a team has cores in.
struct TeamShape {
  std::size_t domains = 1;
  std::size_t cores = 1;  ///< of the team in the domain that has the most
};
TeamShape shape_by_domain(const BenchTeam& team);

/// The program `name` as built by `compiler`, which is gcc, clang, or "" for whichever there is. An
/// error says where it was looked for.
Result<std::string> find_bench_program(const std::string& name, const std::string& compiler);

/// What OpenMP's variables tell the program about its threads.
enum class Bound {
  close,         ///< one to a core, domain after domain
  spread_close,  ///< an outer team's apart from each other, an inner one's beside its first
  no             ///< nothing: the operating system, or Lares, places them
};

/// What a program shall do.
struct BenchRun {
  std::string program;
  std::vector<std::string> settings;   ///< KEY=VALUE; `domains` comes along by itself
  std::vector<std::string> run_words;  ///< for `lares run`; empty: the program runs alone
  Bound bound = Bound::close;
};

/// The words for `lares run --loops LOOPS`; none if that is null: the program runs alone.
std::vector<std::string> with_loops(const char* loops);

/// Runs the program once; its standard output is the answer. OpenMP's and Lares' variables of this
/// process are not handed on: they would make the runs unlike. An error says how it failed; with
/// status 1 and an output it is the output that tells.
Result<std::string> run_bench_program(const BenchRun& run, const BenchTeam& team);

/// UserMistake if `bytes` of data are more than is free: who takes them might be killed, or others.
void check_fits(const char* option, double bytes);

}  // namespace lares::cli
