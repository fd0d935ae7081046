// Teams of bound threads that run STREAM, with what ForestGOMP does to them: no tasks, no queues.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/machine.hpp"
#include "simulate/parameters.hpp"

namespace lares::simulate {

/// A team of equal threads. A thread makes `rounds` passes, each over `bytes` of its own part.
struct StreamTeam {
  std::vector<CoreId> cores;   ///< by thread
  std::vector<DomainId> data;  ///< where equal parts of it are; at least one
  double rounds = 1;
  double bytes = 0;       ///< of one pass of one thread
  double move_bytes = 0;  ///< that each thread moves to its own domain before its first pass
};

/// When `after` has ended, the second half of `from` moves to the cores that it leaves; with
/// `migrates` each of those threads first moves its part of the data to its new domain.
struct StealOfThreads {
  std::size_t from = 0;
  std::size_t after = 0;
  bool migrates = false;
  double part_bytes = 0;  ///< of the data, for one thread
};

/// When each team ends, in seconds. Threads that share a core get equal parts of it.
/// Source: Broquedis et al. 2010, sections 5.3 to 5.5.
std::vector<double> run_teams(const machine::Machine& machine, const Parameters& parameters,
                              const std::vector<StreamTeam>& teams,
                              const StealOfThreads* steal = nullptr);

}  // namespace lares::simulate
