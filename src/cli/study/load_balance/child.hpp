// The program that `lares bench load-balance` starts, once per method and repetition.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/study/bench_child.hpp"

namespace lares::cli::load_balance {

/// How the packages are handed out.
struct Method {
  const char* name;
  const char* schedule;  ///< the program's: static, dynamic, tasks
  const char* loops;     ///< for `lares run --loops`; null: the program runs alone
  const char* about;
};

/// In the order of the table.
const std::vector<Method>& methods();

struct Workload {
  std::size_t packages = 3840;
  double gb = 0.5;
  std::size_t times = 3;
};

/// Seconds in packages by the domain of their data.
using ByHome = std::vector<double>;

/// What one process told, checked: no package was lost, doubled or wrong.
struct Outcome {
  double seconds = 0;
  double imbalance = 0;              ///< of CPU time: the longest thread's over the mean
  double imbalance_elapsed = 0;      ///< the same on the clock
  double local = 0;                  ///< share of the bytes
  std::vector<std::size_t> domains;  ///< where each thread wrote its packages
  std::vector<ByHome> busy;          ///< each thread's CPU time
  std::vector<ByHome> elapsed;       ///< each thread's time on the clock
};

/// Reads the program's line and checks that it is about this work. An error says what is wrong.
Result<Outcome> read_line(const std::string& line, const Method& method, const Workload& workload,
                          std::size_t threads, std::size_t domains);

/// Runs the program once and waits for it.
Result<Outcome> run_once(const std::string& program, const Method& method, const Workload& workload,
                         const BenchTeam& team);

}  // namespace lares::cli::load_balance
