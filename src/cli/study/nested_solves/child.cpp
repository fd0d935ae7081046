#include "cli/study/nested_solves/child.hpp"

#include <fmt/format.h>

#include <exception>
#include <nlohmann/json.hpp>

namespace lares::cli::nested_solves {

const std::vector<Method>& methods() {
  static const std::vector<Method> all = [] {
    std::vector<Method> list{
        {Form::flat, {"flat", Bound::close, nullptr, "none", "one solve at a time, by all, bound"}},
        {Form::outer, {"outer", Bound::close, nullptr, "none", "each solve by one thread, bound"}}};
    // Those of a benchmark whose teams have data.
    for (const nested::Variant& variant : nested::variants_of(nested::Kind::nested, "")) {
      list.push_back({Form::nested, variant});
    }
    return list;
  }();
  return all;
}

Work work_of(const Method& method, const Work& nested) {
  Work work = nested;
  const std::size_t threads = nested.teams * nested.inner;
  if (method.form == Form::flat) {
    work.teams = 1;
    work.inner = threads;
  } else if (method.form == Form::outer) {
    work.teams = threads;
    work.inner = 1;
  }
  return work;
}

Result<Outcome> read_line(const std::string& line, const Work& work, const Method& method) {
  try {
    const nlohmann::json told = nlohmann::json::parse(line);
    if (const auto wrong = told.at("wrong").get<std::size_t>(); wrong != 0) {
      return Error{fmt::format("{} solves are wrong or missing", wrong)};
    }
    if (told.value("kind", "") != "solves" || told.at("teams") != work.teams ||
        told.at("inner") != work.inner || told.at("solves") != work.solves ||
        told.at("side") != work.side || told.at("tell") != method.variant.tell) {
      return Error{"the program did other work than it was asked for"};
    }
    for (const auto& team : told.at("by_team")) {
      // Who came too late for a solve had no inner team.
      if (team.at("solved") == 0 || team.at("threads") == work.inner) continue;
      return Error{fmt::format("a team had {} of {} threads", team.at("threads").get<std::size_t>(),
                               work.inner)};
    }
    return Outcome{told.at("seconds"), told.at("together"), told.at("iterations")};
  } catch (const std::exception&) {
    return Error{"the program printed something else than its results"};
  }
}

Result<Outcome> run_once(const std::string& program, const Method& method, const Work& work,
                         const BenchTeam& team) {
  const BenchRun run{program,
                     {fmt::format("teams={}", work.teams), fmt::format("inner={}", work.inner),
                      fmt::format("solves={}", work.solves), fmt::format("side={}", work.side),
                      fmt::format("tell={}", method.variant.tell)},
                     nested::run_words(method.variant),
                     method.variant.bound};
  const auto output = run_bench_program(run, team);
  auto outcome = output ? read_line(output.value(), work, method) : Result<Outcome>(output.error());
  if (outcome) return outcome;
  return Error{fmt::format("nested-solves: {}, {} x {} threads: {}", method.variant.name,
                           work.teams, work.inner, outcome.error().sentence)};
}

}  // namespace lares::cli::nested_solves
