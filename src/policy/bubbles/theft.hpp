// What idle cores take from busy ones: half of a team at most, and never a core's last thread
// (Broquedis et al. 2010, 4.1.2).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "policy/bubbles/forest.hpp"

namespace lares::policy {

/// A team that has more threads on some cores than these can run at once.
struct CrowdedTeam {
  EntityId team;
  RunQueueId queue;  ///< the part of the machine in which it is
  double load = 0;   ///< of its threads there
  double load_a_thread = 0;
  std::uint64_t bytes = 0;  ///< attached to them
  bool is_known = false;    ///< somebody has said what work or which data one of them has
};

/// Who runs where, kept up to date while threads are taken. Threads without load have ended, and
/// those of queues with several cores find an idle one by themselves: neither counts.
class Theft {
 public:
  explicit Theft(Forest& forest);

  [[nodiscard]] bool is_idle(CoreId core) const noexcept { return on_[core.index()].empty(); }
  /// Of `cores`, those in `queue` that have nothing to run.
  [[nodiscard]] std::vector<CoreId> idle_in(RunQueueId queue, std::span<const CoreId> cores) const;

  /// Teams with several threads on one of the queue's cores, oldest first.
  [[nodiscard]] std::vector<CrowdedTeam> crowded_in(RunQueueId queue) const;

  /// Moves threads of the team to `thieves`, one at a time from its fullest core to the emptiest
  /// thief as long as that evens them out: at most half of it, those with the least data first.
  /// `far`: what is attached to them shall follow. Answers how many.
  std::size_t take_half(const CrowdedTeam& victim, std::span<const CoreId> thieves, bool far);

 private:
  [[nodiscard]] std::vector<EntityId> threads_in(EntityId team, RunQueueId queue) const;
  [[nodiscard]] std::optional<CoreId> fullest(const CrowdedTeam& victim) const;
  [[nodiscard]] EntityId lightest(EntityId team, CoreId core) const;

  Forest& forest_;
  std::vector<std::vector<EntityId>> on_;  // by core
};

/// Each of the idle cores takes from the nearest part around it that has a crowded team, its most
/// loaded one; not from beyond its domain.
void steal_within_domains(Forest& forest, std::span<const CoreId> idle);

}  // namespace lares::policy
