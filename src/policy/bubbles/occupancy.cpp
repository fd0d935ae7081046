#include "policy/bubbles/occupancy.hpp"

namespace lares::policy {

EntitySet::EntitySet(const Forest& forest, std::span<const EntityId> entities) {
  for (const EntityId entity : entities) {
    for (const EntityId thread : forest.threads_of(entity)) {
      if (thread.index() >= has_.size()) has_.resize(thread.index() + 1);
      has_[thread.index()] = true;
    }
  }
}

Occupancy occupancy_of_others(const Forest& forest, const EntitySet& set) {
  Occupancy others(forest.queues());
  for (const EntityId thread : forest.threads()) {
    const Entity& entity = forest[thread];
    if (set.has(thread) || !entity.queue.valid() || entity.load <= 0) continue;
    others.add(entity.queue, entity.load);
  }
  return others;
}

}  // namespace lares::policy
