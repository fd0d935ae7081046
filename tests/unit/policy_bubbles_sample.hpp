// Forests on small machines, and what must be true of any forest after any scheduler.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <vector>

#include "policy/bubbles/scheduler.hpp"
#include "policy_sample.hpp"

namespace lares::policy::sample {

inline std::unique_ptr<BubbleScheduler> make_bubble_scheduler(std::string_view name) {
  const BubbleSchedulerEntry* entry = find_bubble_scheduler(name);
  if (entry == nullptr) {
    ADD_FAILURE() << "no bubble scheduler " << name;
    return bubble_schedulers().front().make();
  }
  return entry->make();
}

/// A machine, its forest, and the scheduler that has it.
struct Grove {
  Grove(const Machine& machine, std::string_view scheduler, const std::vector<CoreId>& usable = {})
      : queues(machine, usable), forest(queues), bubbles(make_bubble_scheduler(scheduler)) {
    bubbles->on_start(forest);
  }

  EntityId add_team(std::size_t threads, EntityId parent = {}) {
    const EntityId bubble = forest.add_bubble(parent);
    for (std::size_t t = 0; t < threads; ++t) forest.add_thread(bubble);
    return bubble;
  }
  /// A new outermost team, placed.
  EntityId submit_team(std::size_t threads) {
    const EntityId bubble = add_team(threads);
    bubbles->on_submit(forest, bubble);
    return bubble;
  }
  /// A thread opens a region of so many, and its team is placed.
  EntityId nest(EntityId master, std::size_t threads) {
    const EntityId bubble = forest.enclose(master);
    for (std::size_t t = 1; t < threads; ++t) forest.add_thread(bubble);
    bubbles->on_submit(forest, bubble);
    return bubble;
  }
  EntityId thread(EntityId bubble, std::size_t number) const {
    return forest.threads_of(bubble)[number];
  }
  void idle(const std::vector<std::size_t>& cores) {
    std::vector<CoreId> ids;
    for (const std::size_t core : cores) ids.emplace_back(core);
    bubbles->on_idle(forest, ids);
  }

  std::size_t core_of(EntityId thread) const {
    const RunQueueId queue = forest.where(thread);
    EXPECT_TRUE(queues.is_core(queue));
    return queues[queue].cores.front().index();
  }
  std::vector<std::size_t> cores_of(EntityId bubble) const {
    std::vector<std::size_t> cores;
    for (const EntityId thread : forest.threads_of(bubble)) cores.push_back(core_of(thread));
    return cores;
  }
  std::vector<std::size_t> domains_of(EntityId bubble) const {
    std::vector<std::size_t> domains;
    for (const EntityId thread : forest.threads_of(bubble)) {
      domains.push_back(queues[forest.where(thread)].domain.index());
    }
    return domains;
  }
  /// By core of the machine: how many threads are there and nowhere else.
  std::vector<std::size_t> threads_by_core() const {
    std::vector<std::size_t> count(queues[queues.whole()].cores.back().index() + 1);
    for (const EntityId thread : forest.threads()) ++count[core_of(thread)];
    return count;
  }

  RunQueues queues;
  Forest forest;
  std::unique_ptr<BubbleScheduler> bubbles;
};

using Numbers = std::vector<std::size_t>;

/// Whatever has a queue has it within that of the bubble around it.
inline void expect_nested(const Grove& grove) {
  for (const EntityId thread : grove.forest.threads()) {
    for (EntityId id = thread; grove.forest[id].parent.valid(); id = grove.forest[id].parent) {
      const RunQueueId around = grove.forest.where(grove.forest[id].parent);
      EXPECT_TRUE(grove.queues.contains(around, grove.forest.where(id))) << id.value();
    }
  }
}

/// Whatever is alive is reached once, and every thread may run on some usable core.
inline void expect_sound(const Grove& grove, std::size_t threads, const std::set<CoreId>& usable) {
  const std::vector<EntityId> all = grove.forest.threads();
  EXPECT_EQ(all.size(), threads);
  EXPECT_EQ(std::set<EntityId>(all.begin(), all.end()).size(), threads) << "one is twice there";
  for (const EntityId thread : all) {
    const Entity& entity = grove.forest[thread];
    EXPECT_TRUE(entity.alive && !entity.is_bubble && entity.parent.valid());
    ASSERT_TRUE(entity.queue.valid());
    for (const CoreId core : grove.queues[entity.queue].cores) EXPECT_TRUE(usable.contains(core));
  }
}

}  // namespace lares::policy::sample
