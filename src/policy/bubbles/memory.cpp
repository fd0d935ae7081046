// Threads go to their data, and what is stolen from afar brings its data along (Broquedis et al.
// 2010, 4.1).
#include <algorithm>
#include <tuple>
#include <vector>

#include "policy/bubbles/catalogue.hpp"
#include "policy/bubbles/data.hpp"
#include "policy/bubbles/distribution.hpp"
#include "policy/bubbles/domain_plan.hpp"
#include "policy/bubbles/share.hpp"
#include "policy/bubbles/theft.hpp"

namespace lares::policy::bubbles {
namespace {

// Of the most work that a running thread began with: with less left, a thread ends before moving
// its data has paid.
constexpr double about_to_end = 0.25;

double most_work(const Forest& forest) {
  double most = 0;
  for (const EntityId thread : forest.threads()) {
    const Entity& entity = forest[thread];
    if (entity.load > 0) most = std::max({most, entity.load, entity.most_load});
  }
  return most;
}

bool is_at_its_data(const Forest& forest, EntityId thread, DomainId wish) {
  const RunQueueId queue = forest[thread].queue;
  return queue.valid() && forest.queues()[queue].domain == wish;
}

/// The widest bubbles whose data is in one domain and that are not there, and single threads.
void gather_strays(const Forest& forest, EntityId entity, std::vector<EntityId>& strays) {
  const DomainId wish = favourite_of(forest, entity);
  if (!wish.valid()) return;
  const std::vector<EntityId> threads = forest.threads_of(entity);
  const bool is_away = std::ranges::none_of(
      threads, [&](EntityId thread) { return is_at_its_data(forest, thread, wish); });
  if (is_away && is_of_one_mind(forest, entity)) {
    strays.push_back(entity);
    return;
  }
  for (const EntityId member : forest[entity].members) gather_strays(forest, member, strays);
}

bool is_in(const Forest& forest, EntityId thread, DomainId domain) {
  const RunQueueId queue = forest[thread].queue;
  return queue.valid() && forest.queues()[queue].domain == domain;
}

/// The widest entities without data in a domain, which give way to those that have some there.
void gather_free(const Forest& forest, EntityId entity, DomainId domain,
                 std::vector<EntityId>& free) {
  if (!favourite_of(forest, entity).valid()) {
    const std::vector<EntityId> threads = forest.threads_of(entity);
    const bool is_there = std::ranges::all_of(
        threads, [&](EntityId thread) { return is_in(forest, thread, domain); });
    if (is_there && forest.load_of(entity) > 0) free.push_back(entity);
    return;
  }
  for (const EntityId member : forest[entity].members) gather_free(forest, member, domain, free);
}

/// Whether a domain has fewer cores than threads, with those of `strays` that want to go there.
bool lacks_cores(const Forest& forest, DomainId domain, std::span<const EntityId> strays) {
  std::size_t threads = 0;
  for (const EntityId thread : forest.threads()) {
    if (forest[thread].load > 0 && is_in(forest, thread, domain)) ++threads;
  }
  for (const EntityId stray : strays) {
    if (favourite_of(forest, stray) == domain) threads += forest.threads_of(stray).size();
  }
  return threads > forest.queues()[forest.queues().of(domain)].cores.size();
}

/// Those without data where strays need the cores.
std::vector<EntityId> who_gives_way(const Forest& forest, EntityId bubble,
                                    std::span<const EntityId> strays) {
  std::vector<EntityId> free;
  for (std::size_t d = 0; d < forest.queues().domain_count(); ++d) {
    const DomainId domain{d};
    const bool is_wanted = std::ranges::any_of(
        strays, [&](EntityId stray) { return favourite_of(forest, stray) == domain; });
    if (is_wanted && lacks_cores(forest, domain, strays)) {
      gather_free(forest, bubble, domain, free);
    }
  }
  return free;
}

/// The bubbles around an entity, up to `last`, may be where it is now.
void widen_around(Forest& forest, EntityId entity, EntityId last, RunQueueId room) {
  while (entity != last && forest[entity].parent.valid()) {
    entity = forest[entity].parent;
    forest.put(entity, room);
  }
  forest.put(last, room);
}

class MemoryScheduler final : public BubbleScheduler {
 public:
  void on_submit(Forest& forest, EntityId bubble) override {
    const RunQueueId room = room_of(forest, bubble);
    const bool knows = favourite_of(forest, bubble).valid();
    if (!knows || forest.queues()[room].domain.valid()) return place_near_master(forest, bubble);
    const std::vector<RunQueueId> share = share_of(forest, bubble);
    const EntityId entities[] = {bubble};
    DomainPlan(forest, entities, room, Others::where_they_are).carry_out(share);
    // Teams that it opens may go where their own data is.
    forest.put(bubble, room);
  }

  void on_shake(Forest& forest, EntityId bubble) override {
    const RunQueueId room = room_of(forest, bubble);
    if (forest.queues()[room].domain.valid()) return;
    std::vector<EntityId> strays;
    gather_strays(forest, bubble, strays);
    if (strays.empty()) return;
    const std::vector<EntityId> free = who_gives_way(forest, bubble, strays);
    strays.insert(strays.end(), free.begin(), free.end());
    DomainPlan(forest, strays, room, Others::where_their_data_is).carry_out({});
    for (const EntityId stray : strays) widen_around(forest, stray, bubble, room);
  }

  [[nodiscard]] bool goes_by_data() const override { return true; }

  void on_idle(Forest& forest, std::span<const CoreId> idle) override {
    steal_within_domains(forest, idle);
    Theft theft(forest);
    const RunQueues& queues = forest.queues();
    for (const CoreId core : idle) {
      if (!queues.of(core).valid() || !theft.is_idle(core)) continue;
      const DomainId domain = queues[queues.of(core)].domain;
      const std::vector<CoreId> thieves = theft.idle_in(queues.of(domain), idle);
      const std::vector<CrowdedTeam> teams = victims_of(forest, theft, domain);
      if (!teams.empty()) theft.take_half(teams.front(), thieves, true);
    }
  }

 private:
  /// Teams in other domains that are worth it: nearest first, then the most loaded, then those with
  /// the least data. Of which nothing is known stays: its data would not come along, and it may be
  /// just about to touch it first.
  static std::vector<CrowdedTeam> victims_of(const Forest& forest, const Theft& theft,
                                             DomainId thief) {
    const RunQueues& queues = forest.queues();
    const double least = about_to_end * most_work(forest);
    std::vector<CrowdedTeam> teams;
    for (std::size_t d = 0; d < queues.domain_count(); ++d) {
      const RunQueueId queue = queues.of(DomainId{d});
      if (!queue.valid() || DomainId{d} == thief) continue;
      for (const CrowdedTeam& team : theft.crowded_in(queue)) {
        if (team.is_known && team.load_a_thread >= least) teams.push_back(team);
      }
    }
    std::ranges::sort(teams, {}, [&](const CrowdedTeam& team) {
      const DomainId from = queues[team.queue].domain;
      return std::tuple(queues.distances().at(thief, from), -team.load, team.bytes, team.team);
    });
    return teams;
  }
};

}  // namespace

BubbleSchedulerEntry memory() noexcept {
  return {.name = "memory",
          .source = "Broquedis 2010, 4.1",
          .summary = "teams at their data, then as cache; what idle cores take brings its data",
          .make = &make<MemoryScheduler>};
}

}  // namespace lares::policy::bubbles
