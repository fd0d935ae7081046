#include "cli/study/load_balance/child.hpp"

#include <fmt/format.h>

#include <exception>
#include <nlohmann/json.hpp>

namespace lares::cli::load_balance {
namespace {

/// {"0": 0.5, "2": 0.1} for each thread. Throws what the library throws.
std::vector<ByHome> times_of(const nlohmann::json& list, std::size_t domains) {
  std::vector<ByHome> all;
  for (const nlohmann::json& thread : list) {
    ByHome times(domains, 0);
    for (const auto& [home, seconds] : thread.items()) {
      times.at(std::stoul(home)) = seconds.get<double>();
    }
    all.push_back(std::move(times));
  }
  return all;
}

}  // namespace

const std::vector<Method>& methods() {
  static const std::vector<Method> all{
      {"static", "static", nullptr, "a static loop"},
      {"dynamic", "dynamic", nullptr, "a dynamic loop"},
      {"tasks", "tasks", nullptr, "tasks that the writers of the data create"},
      {"nearest", "dynamic", "numa,steal=nearest", "the dynamic loop under Lares, stealing near"},
      {"most-loaded", "dynamic", "numa,steal=most-loaded", "from whoever has most left"},
      {"random", "dynamic", "numa,steal=random", "from anybody"},
  };
  return all;
}

Result<Outcome> read_line(const std::string& line, const Method& method, const Workload& workload,
                          std::size_t threads, std::size_t domains) {
  try {
    const nlohmann::json told = nlohmann::json::parse(line);
    if (const auto wrong = told.at("wrong").get<std::size_t>(); wrong != 0) {
      return Error{fmt::format("{} packages were lost, doubled or wrong", wrong)};
    }
    if (told.at("method") != method.schedule || told.at("packages") != workload.packages ||
        told.at("times") != workload.times) {
      return Error{"the program did other work than it was asked for"};
    }
    if (const auto had = told.at("threads").get<std::size_t>(); had != threads) {
      return Error{fmt::format("the program had {} threads, not {}", had, threads)};
    }
    Outcome outcome{told.at("seconds"),
                    told.at("imbalance"),
                    told.at("imbalance_elapsed"),
                    told.at("local"),
                    told.at("domains"),
                    times_of(told.at("busy"), domains),
                    times_of(told.at("elapsed"), domains)};
    for (const std::size_t domain : outcome.domains) {
      if (domain >= domains) return Error{"the program names a domain that does not exist"};
    }
    if (outcome.domains.size() != threads || outcome.busy.size() != threads ||
        outcome.elapsed.size() != threads) {
      return Error{"the program tells of more or fewer threads than it had"};
    }
    return outcome;
  } catch (const std::exception&) {
    return Error{"the program printed something else than its results"};
  }
}

Result<Outcome> run_once(const std::string& program, const Method& method, const Workload& workload,
                         const BenchTeam& team) {
  const BenchRun run{
      program,
      {fmt::format("packages={}", workload.packages), fmt::format("gb={}", workload.gb),
       fmt::format("times={}", workload.times), fmt::format("method={}", method.schedule)},
      with_loops(method.loops)};
  const auto output = run_bench_program(run, team);
  auto outcome = output ? read_line(output.value(), method, workload, team.cpus.size(),
                                    team.machine.domains_with_cores())
                        : Result<Outcome>(output.error());
  if (outcome) return outcome;
  return Error{fmt::format("load-balance: {}, {:g} GB: {}", method.name, workload.gb,
                           outcome.error().sentence)};
}

}  // namespace lares::cli::load_balance
