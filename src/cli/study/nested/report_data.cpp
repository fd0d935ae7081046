// The reports for other programs: JSON and CSV.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/study/nested/figures.hpp"
#include "cli/study/nested/report.hpp"
#include "measure/spread.hpp"

namespace lares::cli::nested {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const TeamPhase& team) {
  Json rates = Json::object();
  for (const auto& [kernel, rate] : team.rates) {
    rates[kernel] = {{"least", rate.least}, {"mean", rate.mean}, {"most", rate.most}};
  }
  return {{"seconds", team.seconds},
          {"rates", std::move(rates)},
          {"together", team.together},
          {"local", team.local}};
}

Json to_json(const Outcome& outcome) {
  Json phases = Json::array();
  for (std::size_t phase = 0; phase < outcome.phases.size(); ++phase) {
    Json teams = Json::array();
    for (const TeamPhase& team : outcome.phases[phase]) teams.push_back(to_json(team));
    phases.push_back({{"seconds", outcome.seconds[phase]}, {"teams", std::move(teams)}});
  }
  return {{"phases", std::move(phases)}, {"moved_bytes", outcome.moved_bytes}};
}

/// Of the last phase, over the repetitions.
Json spread_of_seconds(const Row& row) {
  std::vector<double> values;
  for (const Outcome& outcome : row.outcomes) values.push_back(outcome.seconds.back());
  const machine::Spread s = measure::spread_of(std::move(values));
  return {{"median", s.median}, {"least", s.least}, {"most", s.most}};
}

Json to_json(const Row& row) {
  Json all{{"mb", row.work.mb}, {"method", row.variant.name}, {"tell", row.variant.tell}};
  if (row.work.kind == Kind::twisted) {
    all["data"] = row.work.data;
    all["passes"] = row.work.passes;
  }
  if (row.work.kind == Kind::imbalanced) all["loads"] = row.work.loads;
  all["seconds"] = spread_of_seconds(row);
  all["runs"] = Json::array();
  for (const Outcome& outcome : row.outcomes) all["runs"].push_back(to_json(outcome));
  return all;
}

/// One line; without a kernel the rates are left empty.
std::string csv_line(const Row& row, std::size_t run, std::size_t phase, std::size_t team,
                     const std::string& kernel) {
  const TeamPhase& figures = row.outcomes[run].phases[phase][team];
  std::string rates = ",,";
  if (!kernel.empty()) {
    const Rate& rate = figures.rates.at(kernel);
    rates = fmt::format("{},{},{}", rate.least, rate.mean, rate.most);
  }
  return fmt::format("{:g},{},{},{},{},{},{},{},{},{},{},{},{}\n", row.work.mb, row.work.data,
                     row.work.passes, row.variant.name, run, phase + 1, team, kernel, rates,
                     figures.seconds, figures.together, figures.local,
                     row.outcomes[run].moved_bytes);
}

std::string csv_of_run(const Row& row, std::size_t run) {
  std::vector<std::string> kernels = kernels_of(row.work.kind);
  if (kernels.empty()) kernels.emplace_back();
  std::string text;
  for (std::size_t phase = 0; phase < row.outcomes[run].phases.size(); ++phase) {
    for (std::size_t team = 0; team < row.work.teams; ++team) {
      for (const std::string& kernel : kernels) text += csv_line(row, run, phase, team, kernel);
    }
  }
  return text;
}

}  // namespace

std::string to_json(const Report& report) {
  const Work& work = report.rows.front().work;
  Json all{{"benchmark", report.study.command},
           {"program", report.program},
           {"teams", work.teams},
           {"threads", work.inner},
           {"domains", report.domains},
           {"level", report.level},
           {"times", work.times},
           {"results", Json::array()}};
  for (const Row& row : report.rows) all["results"].push_back(to_json(row));
  return all.dump(2) + "\n";
}

std::string to_csv(const Report& report) {
  std::string text =
      "mb,data,passes,method,run,phase,team,kernel,least,mean,most,seconds,together,local,"
      "moved_bytes\n";
  for (const Row& row : report.rows) {
    for (std::size_t run = 0; run < row.outcomes.size(); ++run) text += csv_of_run(row, run);
  }
  return text;
}

}  // namespace lares::cli::nested
