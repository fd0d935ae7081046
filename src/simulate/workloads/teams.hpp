// Teams of bound threads that run STREAM, with what ForestGOMP does to them: no tasks, no queues.
#pragma once

#include <cstddef>
#include <vector>

#include "base/ids.hpp"
#include "machine/machine.hpp"
#include "simulate/workload.hpp"

namespace lares::simulate {

/// What a static schedule runs on these cores, a worker for each thread, team by team.
struct BoundThreads {
  Workload workload;
  std::vector<CoreId> cores;
  std::vector<std::size_t> first;  ///< by team: its first worker; and the number of all
  std::size_t moved = 0;           ///< threads that a scheduler moved before they ran
};

/// Teams that a bubble scheduler places, and moves as the plan says. Source: Broquedis et al. 2010,
/// sections 5.3 to 5.5.
BoundThreads make_teams(const machine::Machine& machine, const TeamPlan& plan);

/// One team of equal threads whose cores are given, as those of a program that binds them itself.
struct BoundTeam {
  std::vector<CoreId> cores;   ///< by thread; several may share one
  std::vector<DomainId> data;  ///< where equal parts of each thread's data are; at least one
  std::size_t rounds = 1;      ///< passes of a thread over its data
  double bytes = 0;            ///< of one pass
};
BoundThreads make_bound_teams(const std::vector<BoundTeam>& teams);

}  // namespace lares::simulate
