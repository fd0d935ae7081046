#include "cli/study/nested/child.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>

namespace lares::cli::nested {
namespace {

using Told = nlohmann::json;

// The following throw what the library throws.

/// The share of the most frequent domain.
double share_of_most(const Told& ran_in) {
  double most = 0;
  double all = 0;
  for (const Told& count : ran_in) {
    most = std::max(most, count.get<double>());
    all += count.get<double>();
  }
  return all > 0 ? most / all : 1;
}

TeamPhase team_of(const Told& told, Kind kind) {
  TeamPhase team{told.at("seconds"), {}, share_of_most(told.at("ran_in")), told.at("local")};
  for (const std::string& kernel : kernels_of(kind)) {
    const Told& rate = told.at("rates").at(kernel);
    team.rates[kernel] = {rate.at("least"), rate.at("mean"), rate.at("most")};
  }
  return team;
}

bool is_other_work(const Told& told, const Work& work, const Variant& variant) {
  if (told.value("kind", "") != work.program_kind || told.at("tell") != variant.tell ||
      told.at("teams") != work.teams || told.at("inner") != work.inner ||
      told.at("times") != work.times) {
    return true;
  }
  return work.kind == Kind::twisted &&
         (told.at("data") != work.data || told.at("passes") != work.passes);
}

Outcome outcome_of(const Told& told, const Work& work) {
  Outcome outcome{{told.at("seconds")}, {}, told.at("moved_bytes")};
  for (const Told& phase : told.at("phases")) {
    std::vector<TeamPhase> teams;
    for (const Told& team : phase) teams.push_back(team_of(team, work.kind));
    outcome.phases.push_back(std::move(teams));
  }
  if (work.kind == Kind::twisted) outcome.seconds.push_back(told.at("seconds_of_phase_2"));
  return outcome;
}

std::vector<std::string> settings_of(const Work& work, const Variant& variant) {
  std::vector<std::string> settings{
      "kind=" + work.program_kind,         fmt::format("teams={}", work.teams),
      fmt::format("inner={}", work.inner), fmt::format("mb={}", work.mb),
      fmt::format("times={}", work.times), fmt::format("tell={}", variant.tell)};
  if (work.kind == Kind::twisted) {
    settings.push_back(fmt::format("passes={}", work.passes));
    settings.push_back("data=" + work.data);
  }
  if (work.kind == Kind::imbalanced) {
    settings.push_back(fmt::format("loads={}", fmt::join(work.loads, ",")));
  }
  return settings;
}

}  // namespace

std::vector<std::string> kernels_of(Kind kind) {
  if (kind == Kind::imbalanced) return {};
  if (kind == Kind::twisted) return {"triad"};
  return {"copy", "scale", "add", "triad"};
}

Result<Outcome> read_line(const std::string& line, const Work& work, const Variant& variant) {
  try {
    const Told told = Told::parse(line);
    if (const auto wrong = told.at("wrong").get<std::size_t>(); wrong != 0) {
      return Error{fmt::format("{} values are wrong", wrong)};
    }
    if (is_other_work(told, work, variant)) {
      return Error{"the program did other work than it was asked for"};
    }
    for (const Told& had : told.at("threads")) {
      if (had == work.inner) continue;
      return Error{fmt::format("a team had {} of {} threads", had.get<std::size_t>(), work.inner)};
    }
    Outcome outcome = outcome_of(told, work);
    const std::size_t phases = work.kind == Kind::twisted ? 2 : 1;
    if (outcome.phases.size() != phases) return Error{"the program tells of another phase"};
    for (const auto& teams : outcome.phases) {
      if (teams.size() != work.teams) return Error{"the program tells of more or fewer teams"};
    }
    return outcome;
  } catch (const std::exception&) {
    return Error{"the program printed something else than its results"};
  }
}

Result<Outcome> run_once(const std::string& program, const Variant& variant, const Work& work,
                         const BenchTeam& team) {
  const BenchRun run{program, settings_of(work, variant), run_words(variant), variant.bound};
  const auto output = run_bench_program(run, team);
  auto outcome =
      output ? read_line(output.value(), work, variant) : Result<Outcome>(output.error());
  if (outcome) return outcome;
  return Error{fmt::format("{}, {}, {:g} MB: {}", work.program_kind, variant.name, work.mb,
                           outcome.error().sentence)};
}

}  // namespace lares::cli::nested
