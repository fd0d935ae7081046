#include "policy/bubbles/share.hpp"

#include <algorithm>

#include "policy/bubbles/occupancy.hpp"

namespace lares::policy {
namespace {

EntityId outermost_around(const Forest& forest, EntityId entity) {
  while (forest[entity].parent.valid()) entity = forest[entity].parent;
  return entity;
}

Occupancy siblings_of(const Forest& forest, EntityId bubble) {
  const EntityId entities[] = {bubble};
  const EntitySet own(forest, entities);
  Occupancy siblings(forest.queues());
  for (const EntityId thread : forest.threads_of(outermost_around(forest, bubble))) {
    const Entity& entity = forest[thread];
    if (own.has(thread) || entity.rests || !entity.queue.valid()) continue;
    siblings.add(entity.queue, entity.load);
  }
  return siblings;
}

RunQueueId queue_of_master(const Forest& forest, EntityId bubble, RunQueueId room) {
  for (const EntityId thread : forest.threads_of(bubble)) {
    const RunQueueId queue = forest[thread].queue;
    if (queue.valid() && forest.queues().contains(room, queue)) return queue;
  }
  return {};
}

/// A queue, and those after it, in turn, up to the next that somebody has.
std::vector<RunQueueId> with_free_ones(const RunQueues& queues, RunQueueId queue,
                                       const Occupancy& siblings) {
  const std::vector<RunQueueId>& all = queues[queues[queue].parent].children;
  const auto own = static_cast<std::size_t>(std::ranges::find(all, queue) - all.begin());
  std::vector<RunQueueId> share = {queue};
  for (std::size_t i = 1; i < all.size(); ++i) {
    const RunQueueId next = all[(own + i) % all.size()];
    if (siblings.threads(next) > 0) break;
    share.push_back(next);
  }
  std::ranges::sort(share);
  return share;
}

}  // namespace

RunQueueId room_of(const Forest& forest, EntityId bubble) {
  const EntityId parent = forest[bubble].parent;
  return parent.valid() ? forest.where(parent) : forest.queues().whole();
}

std::vector<RunQueueId> share_of(const Forest& forest, EntityId bubble) {
  const RunQueues& queues = forest.queues();
  const RunQueueId room = room_of(forest, bubble);
  RunQueueId own = queue_of_master(forest, bubble, room);
  if (!own.valid() || !forest[bubble].parent.valid()) return {room};
  const Occupancy siblings = siblings_of(forest, bubble);
  while (own != room && siblings.threads(queues[own].parent) == 0) own = queues[own].parent;
  if (own == room || siblings.threads(own) > 0) return {own};
  return with_free_ones(queues, own, siblings);
}

void put_bubbles(Forest& forest, EntityId entity, RunQueueId queue) {
  if (!forest[entity].is_bubble) return;
  forest.put(entity, queue);
  for (const EntityId member : forest[entity].members) put_bubbles(forest, member, queue);
}

}  // namespace lares::policy
