#include "simulate/workloads/teams.hpp"

#include <string>

namespace lares::simulate {
namespace {

void add_thread(Workload& workload, const StreamTeam& team, std::size_t worker) {
  const auto first = static_cast<BlockIndex>(workload.blocks.size());
  const double part = team.bytes / static_cast<double>(team.data.size());
  for (const DomainId home : team.data) {
    workload.blocks.push_back({Bytes{static_cast<std::uint64_t>(part)}, home, {}});
  }
  for (std::size_t round = 0; round < team.rounds; ++round) {
    workload.add_task(0, worker);
    for (BlockIndex block = first; block < workload.blocks.size(); ++block) {
      workload.accesses.push_back({block, policy::AccessMode::read, part});
    }
  }
}

void add_steal(BoundThreads& threads, const StealOfThreads& steal) {
  const std::vector<std::size_t>& first = threads.first;
  Rebinding rebinding{.next_touch = steal.migrates};
  for (std::size_t w = first[steal.after]; w < first[steal.after + 1]; ++w) {
    rebinding.after.push_back(static_cast<std::uint32_t>(w));
  }
  const std::size_t middle = (first[steal.from] + first[steal.from + 1]) / 2;
  for (std::size_t w = middle; w < first[steal.from + 1]; ++w) {
    rebinding.worker = static_cast<std::uint32_t>(w);
    rebinding.core = threads.cores[rebinding.after[(w - middle) % rebinding.after.size()]];
    threads.workload.rebindings.push_back(rebinding);
  }
}

}  // namespace

BoundThreads make_teams(const std::vector<StreamTeam>& teams, const StealOfThreads* steal) {
  BoundThreads threads;
  threads.workload.name = "teams";
  bool next_touch = false;
  for (const StreamTeam& team : teams) {
    threads.first.push_back(threads.cores.size());
    next_touch = next_touch || team.next_touch;
    for (const CoreId core : team.cores) {
      add_thread(threads.workload, team, threads.cores.size());
      threads.cores.push_back(core);
    }
  }
  threads.first.push_back(threads.cores.size());
  threads.workload.add_phase().migrates = next_touch;
  if (steal != nullptr) add_steal(threads, *steal);
  return threads;
}

}  // namespace lares::simulate
