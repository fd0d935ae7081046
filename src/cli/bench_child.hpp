// The programs that `lares bench` starts: a process of its own for each run, since a process has
// one OpenMP runtime.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "machine/machine.hpp"

namespace lares::cli {

/// On which CPUs a program runs, and what its domains are.
struct BenchTeam {
  const machine::Machine& machine;
  std::vector<OsCpu> cpus;  ///< thread t is bound to cpus[t]
};

/// One thread per core, domain after domain, at most `threads` if that is not 0.
BenchTeam close_team(const machine::Machine& machine, std::size_t threads);

/// The program `name` as built by `compiler`, which is gcc, clang, or "" for whichever there is. An
/// error says where it was looked for.
Result<std::string> find_bench_program(const std::string& name, const std::string& compiler);

/// What a program shall do.
struct BenchRun {
  std::string program;
  std::vector<std::string> settings;  ///< KEY=VALUE; `domains` comes along by itself
  const char* loops = nullptr;        ///< for `lares run --loops`; null: the program runs alone
};

/// Runs the program once; its standard output is the answer. OpenMP's and Lares' variables of this
/// process are not handed on: they would make the runs unlike. An error says how it failed; with
/// status 1 and an output it is the output that tells.
Result<std::string> run_bench_program(const BenchRun& run, const BenchTeam& team);

/// UserMistake if `bytes` of data are more than is free: who takes them might be killed, or others.
void check_fits(const char* option, double bytes);

}  // namespace lares::cli
