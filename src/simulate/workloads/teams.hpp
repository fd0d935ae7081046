// Teams of bound threads that run STREAM, with what ForestGOMP does to them: no tasks, no queues.
#pragma once

#include <cstddef>
#include <vector>

#include "base/ids.hpp"
#include "simulate/workload.hpp"

namespace lares::simulate {

/// A team of equal threads. A thread makes `rounds` passes, each over `bytes` of its own part.
struct StreamTeam {
  std::vector<CoreId> cores;   ///< by thread; several may share one
  std::vector<DomainId> data;  ///< where equal parts of it are; at least one
  std::size_t rounds = 1;
  double bytes = 0;         ///< of one pass of one thread
  bool next_touch = false;  ///< each thread's part moves to it in its first pass
};

/// When `after` has ended, the second half of `from` moves to the cores that it leaves.
struct StealOfThreads {
  std::size_t from = 0;
  std::size_t after = 0;
  bool migrates = false;  ///< its data follows
};

/// What a static schedule runs on these cores, a worker for each thread, team by team.
struct BoundThreads {
  Workload workload;
  std::vector<CoreId> cores;
  std::vector<std::size_t> first;  ///< by team: its first worker; and the number of all
};

/// Source: Broquedis et al. 2010, sections 5.3 to 5.5. A team's `next_touch` is that of all.
BoundThreads make_teams(const std::vector<StreamTeam>& teams,
                        const StealOfThreads* steal = nullptr);

}  // namespace lares::simulate
