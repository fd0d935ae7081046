#include "simulate/experiment.hpp"

#include <algorithm>

#include "simulate/workloads/workloads.hpp"

namespace lares::simulate {
namespace {

/// What lies on each domain's node from the start must fit there. The papers' experiments are
/// simulated without this check: not all sizes of their machines' memory are known.
std::optional<Error> check_nodes(const machine::Machine& machine, const Workload& workload) {
  const auto& domains = machine.domains;
  std::vector<double> homed(domains.size());
  for (const Block& block : workload.blocks) {
    if (block.home.valid()) homed[block.home.index()] += static_cast<double>(block.bytes.count);
  }
  for (const machine::Domain& domain : domains) {
    if (!domain.node.valid() || domain.memory.count == 0) continue;
    double needed = 0;
    for (std::size_t d = 0; d < domains.size(); ++d) {
      if (domains[d].node == domain.node) needed += homed[d];
    }
    const auto there = static_cast<double>(domain.memory.count);
    if (needed <= there) continue;
    return Error{"workload \"" + workload.name + "\" puts " + gib(needed) + " on \"" + domain.name +
                 "\" of machine \"" + machine.name + "\", which has " + gib(there)};
  }
  return std::nullopt;
}

double fetched_remote_share(const Fetched& fetched) {
  const double all = fetched.local + fetched.remote;
  return all > 0 ? fetched.remote / all : 0;
}

class Runs {
 public:
  Runs(const Experiment& experiment, const std::function<void(std::size_t, std::size_t)>& progress)
      : experiment_(experiment), progress_(progress) {
    const std::size_t varied = experiment.vary ? 2 * experiment.model.uncertain.size() : 0;
    all_ = experiment.workers.size() * experiment.schedules.size() * (experiment.seeds + varied);
  }

  Result<Measurements> run() {
    Measurements found;
    for (const std::size_t workers : experiment_.workers) {
      const Team team{experiment_.machine, experiment_.model.best,
                      compact_cores(experiment_.machine, workers)};
      const auto workload = make_workload(experiment_.workload, team);
      if (!workload) return workload.error();
      if (auto problem = check_nodes(experiment_.machine, workload.value())) return *problem;
      found.workload = workload.value().name;
      found.unit = workload.value().unit;
      found.tasks = workload.value().task_count();
      for (const NamedSchedule& schedule : experiment_.schedules) {
        auto row = measure(workload.value(), team, schedule);
        if (!row) return row.error();
        found.rows.push_back(std::move(row.value()));
      }
    }
    return found;
  }

 private:
  Result<Outcome> once(const Workload& workload, const Team& team, const Schedule& schedule,
                       const Parameters& parameters, std::uint64_t seed) {
    if (progress_) progress_(done_++, all_);
    return simulate({experiment_.machine, parameters, workload, schedule, team.cores, seed});
  }

  Result<Measured> measure(const Workload& workload, const Team& team, const NamedSchedule& named) {
    std::vector<Outcome> outcomes;
    for (std::uint32_t i = 0; i < experiment_.seeds; ++i) {
      const std::uint64_t seed = std::uint64_t{experiment_.first_seed} + i;
      auto outcome = once(workload, team, named.schedule, experiment_.model.best, seed);
      if (!outcome) return outcome.error();
      outcomes.push_back(std::move(outcome.value()));
    }
    std::sort(outcomes.begin(), outcomes.end(),
              [](const Outcome& a, const Outcome& b) { return a.seconds < b.seconds; });
    Measured row;
    row.schedule = named.name;
    row.workers = team.size();
    std::vector<double> seconds;
    std::vector<double> shares;
    for (const Outcome& outcome : outcomes) {
      seconds.push_back(outcome.seconds);
      shares.push_back(fetched_remote_share(outcome.fetched));
    }
    row.seconds = spread_of(seconds);
    row.fetched_remote = spread_of(shares);
    row.lowest = row.seconds.least;
    row.highest = row.seconds.most;
    row.typical = outcomes[outcomes.size() / 2];
    row.rate = workload.amount / workload.unit_scale / row.seconds.median;
    for (const Uncertain& each : experiment_.model.uncertain) {
      if (!experiment_.vary) break;
      for (const Parameters* parameters : {&each.low, &each.high}) {
        const auto outcome = once(workload, team, named.schedule, *parameters, 1);
        if (!outcome) return outcome.error();
        row.lowest = std::min(row.lowest, outcome.value().seconds);
        row.highest = std::max(row.highest, outcome.value().seconds);
      }
    }
    return row;
  }

  const Experiment& experiment_;
  const std::function<void(std::size_t, std::size_t)>& progress_;
  std::size_t all_ = 0;
  std::size_t done_ = 0;
};

}  // namespace

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values.front(), values[values.size() / 2], values.back()};
}

Result<Measurements> run_experiment(
    const Experiment& experiment,
    const std::function<void(std::size_t done, std::size_t all)>& progress) {
  return Runs(experiment, progress).run();
}

}  // namespace lares::simulate
