#include "policy/bubbles/theft.hpp"

#include <algorithm>
#include "policy/bubbles/data.hpp"

namespace lares::policy {
Theft::Theft(Forest& forest) : forest_(forest) {
  const RunQueues& queues = forest.queues();
  for (const EntityId thread : forest.threads()) {
    const Entity& entity = forest[thread];
    if (entity.load <= 0 || !entity.queue.valid() || !queues.is_core(entity.queue)) continue;
    const std::size_t core = queues[entity.queue].cores.front().index();
    if (core >= on_.size()) on_.resize(core + 1);
    on_[core].push_back(thread);
  }
  on_.resize(std::max(on_.size(), queues[queues.whole()].cores.back().index() + 1));
}

std::vector<CoreId> Theft::idle_in(RunQueueId queue, std::span<const CoreId> cores) const {
  const RunQueues& queues = forest_.queues();
  std::vector<CoreId> idle;
  for (const CoreId core : cores) {
    const bool is_inside = queues.of(core).valid() && queues.contains(queue, queues.of(core));
    if (is_inside && is_idle(core)) idle.push_back(core);
  }
  return idle;
}

std::vector<EntityId> Theft::threads_in(EntityId team, RunQueueId queue) const {
  std::vector<EntityId> threads;
  for (const CoreId core : forest_.queues()[queue].cores) {
    for (const EntityId thread : on_[core.index()]) {
      if (forest_[thread].parent == team) threads.push_back(thread);
    }
  }
  return threads;
}

std::vector<CrowdedTeam> Theft::crowded_in(RunQueueId queue) const {
  std::vector<CrowdedTeam> teams;
  for (const CoreId core : forest_.queues()[queue].cores) {
    if (on_[core.index()].size() < 2) continue;
    for (const EntityId thread : on_[core.index()]) {
      const EntityId team = forest_[thread].parent;
      if (std::ranges::find(teams, team, &CrowdedTeam::team) != teams.end()) continue;
      CrowdedTeam found{.team = team, .queue = queue};
      const std::vector<EntityId> threads = threads_in(team, queue);
      for (const EntityId each : threads) {
        found.load += forest_[each].load;
        found.bytes += forest_.bytes_of(each);
        found.is_known = found.is_known || forest_[each].most_load > 0;
      }
      found.is_known = found.is_known || found.bytes > 0;
      found.load_a_thread = found.load / static_cast<double>(threads.size());
      teams.push_back(found);
    }
  }
  return teams;
}

std::optional<CoreId> Theft::fullest(const CrowdedTeam& victim) const {
  std::optional<CoreId> most;
  for (const CoreId core : forest_.queues()[victim.queue].cores) {
    const std::vector<EntityId>& there = on_[core.index()];
    const bool has_one = std::ranges::any_of(
        there, [&](EntityId thread) { return forest_[thread].parent == victim.team; });
    if (has_one && (!most || there.size() > on_[most->index()].size())) most = core;
  }
  return most;
}

// Of threads that are equal else the last: the first of a team is its master.
EntityId Theft::lightest(EntityId team, CoreId core) const {
  EntityId best;
  for (const EntityId thread : on_[core.index()]) {
    if (forest_[thread].parent != team) continue;
    if (!best.valid() || forest_.bytes_of(thread) <= forest_.bytes_of(best)) best = thread;
  }
  return best;
}

std::size_t Theft::take_half(const CrowdedTeam& victim, std::span<const CoreId> thieves, bool far) {
  const std::size_t half =
      std::max<std::size_t>(1, threads_in(victim.team, victim.queue).size() / 2);
  std::size_t taken = 0;
  while (taken < half) {
    const std::optional<CoreId> from = fullest(victim);
    const auto to = std::ranges::min_element(thieves, {},
                                             [&](CoreId core) { return on_[core.index()].size(); });
    if (!from || to == thieves.end()) break;
    if (on_[from->index()].size() < on_[to->index()].size() + 2) break;
    const EntityId thread = lightest(victim.team, *from);
    const RunQueueId queue = forest_.queues().of(*to);
    std::erase(on_[from->index()], thread);
    on_[to->index()].push_back(thread);
    forest_.put(thread, queue, far && can_follow(forest_, thread, queue));
    ++taken;
  }
  return taken;
}

void steal_within_domains(Forest& forest, std::span<const CoreId> idle) {
  const RunQueues& queues = forest.queues();
  Theft theft(forest);
  for (const CoreId core : idle) {
    RunQueueId queue = queues.of(core);
    if (!queue.valid()) continue;
    while (theft.is_idle(core) && queues[queue].parent.valid() &&
           queues[queues[queue].parent].domain.valid()) {
      queue = queues[queue].parent;
      const std::vector<CrowdedTeam> teams = theft.crowded_in(queue);
      const auto most = std::ranges::max_element(teams, {}, &CrowdedTeam::load);
      if (most != teams.end()) theft.take_half(*most, theft.idle_in(queue, idle), false);
    }
  }
}

}  // namespace lares::policy
