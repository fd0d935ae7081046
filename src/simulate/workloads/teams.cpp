#include "simulate/workloads/teams.hpp"

#include <algorithm>
#include <span>

#include "simulate/team_forest.hpp"

namespace lares::simulate {
namespace {

struct StreamThread {
  CoreId core;
  std::span<const DomainId> data;
  std::size_t rounds = 1;
  double bytes = 0;
};

void add_thread(BoundThreads& threads, const StreamThread& thread) {
  Workload& workload = threads.workload;
  const std::size_t worker = threads.cores.size();
  threads.cores.push_back(thread.core);
  const auto first = static_cast<BlockIndex>(workload.blocks.size());
  const double part = thread.bytes / static_cast<double>(thread.data.size());
  for (const DomainId home : thread.data) {
    workload.blocks.push_back({Bytes{static_cast<std::uint64_t>(part)}, home, {}});
  }
  for (std::size_t round = 0; round < thread.rounds; ++round) {
    workload.add_task(0, worker);
    for (BlockIndex block = first; block < workload.blocks.size(); ++block) {
      workload.accesses.push_back({block, policy::AccessMode::read, part});
    }
  }
}

}  // namespace

BoundThreads make_teams(const machine::Machine& machine, const TeamPlan& plan) {
  const TeamForest forest(machine, plan);
  BoundThreads threads;
  threads.workload.name = "teams";
  for (std::size_t t = 0; t < plan.teams.size(); ++t) {
    const TeamPlan::Team& team = plan.teams[t];
    threads.first.push_back(forest.first_of(t));
    for (std::size_t w = forest.first_of(t); w < forest.first_of(t + 1); ++w) {
      add_thread(threads, {forest.core_of(w), forest.data_of(w), team.rounds, team.bytes});
    }
  }
  threads.first.push_back(threads.cores.size());
  threads.moved = forest.shaken().size();
  threads.workload.add_phase().migrates = plan.next_touch;
  threads.workload.teams = plan;
  return threads;
}

BoundThreads make_bound_teams(const std::vector<BoundTeam>& teams) {
  BoundThreads threads;
  threads.workload.name = "teams";
  for (const BoundTeam& team : teams) {
    threads.first.push_back(threads.cores.size());
    for (const CoreId core : team.cores) {
      add_thread(threads, {core, team.data, team.rounds, team.bytes});
    }
  }
  threads.first.push_back(threads.cores.size());
  threads.workload.add_phase();
  return threads;
}

}  // namespace lares::simulate
