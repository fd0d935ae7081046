#include "policy/bubbles/distribution.hpp"

#include <algorithm>
#include <utility>

#include "policy/bubbles/data.hpp"
#include "policy/bubbles/share.hpp"

namespace lares::policy {
namespace {

// A part starves that has nobody, or idle cores or less than half as many threads a core where the
// other has several threads on one.
bool starves(const DealPart& part, const DealPart& beside) {
  if (part.threads == 0) return true;
  if (beside.threads <= beside.cores) return false;
  return part.threads < part.cores || 2 * part.threads_with(0) < beside.threads_with(0);
}

}  // namespace

BubbleDistribution::BubbleDistribution(Forest& forest, std::span<const EntityId> entities,
                                       Neighbours neighbours)
    : forest_(forest),
      set_(forest, entities),
      others_(occupancy_of_others(forest, set_)),
      neighbours_(neighbours) {
  bool some = false;
  bool all = true;
  for (const EntityId entity : entities) {
    for (const EntityId thread : forest.threads_of(entity)) {
      const bool has_queue = forest[thread].queue.valid();
      some = some || has_queue;
      all = all && has_queue;
    }
  }
  is_partly_placed_ = some && !all;
}

void BubbleDistribution::place(std::vector<EntityId> entities, std::span<const RunQueueId> parts,
                               bool brings_data) {
  brings_data_ = brings_data;
  if (parts.size() == 1) return descend(std::move(entities), parts.front());
  divide(std::move(entities), parts, forest_.queues()[parts.front()].parent);
}

void BubbleDistribution::descend(std::vector<EntityId> entities, RunQueueId queue) {
  if (!forest_.queues().is_core(queue)) {
    return divide(std::move(entities), forest_.queues()[queue].children, queue);
  }
  for (const EntityId entity : entities) settle(entity, queue);
}

void BubbleDistribution::divide(std::vector<EntityId> entities, std::span<const RunQueueId> parts,
                                RunQueueId around) {
  if (entities.empty()) return;
  if (neighbours_ == Neighbours::apart) burst_all(entities, around);
  std::vector<DealPiece> pieces;
  do {
    pieces = pieces_of(entities, parts);
    std::vector<DealPart> filled = parts_of(parts);
    deal(pieces, filled, neighbours_);
    if (!burst_one(entities, pieces, filled, around)) break;
  } while (true);
  for (std::size_t part = 0; part < parts.size(); ++part) {
    std::vector<EntityId> there;
    for (const DealPiece& piece : pieces) {
      if (piece.part == part) there.push_back(piece.entity);
    }
    if (!there.empty()) descend(std::move(there), parts[part]);
  }
}

// The largest bubble of the most crowded part that others starve beside. False if there is none.
bool BubbleDistribution::burst_one(std::vector<EntityId>& entities,
                                   std::span<const DealPiece> pieces,
                                   std::span<const DealPart> parts, RunQueueId around) {
  const DealPiece* best = nullptr;
  const auto key = [&](const DealPiece& piece) {
    return std::pair(parts[piece.part].threads_with(0), piece.threads);
  };
  for (const DealPiece& piece : pieces) {
    if (!forest_[piece.entity].is_bubble || piece.threads < 2) continue;
    const DealPart& crowded = parts[piece.part];
    const bool is_needed =
        std::ranges::any_of(parts, [&](const DealPart& part) { return starves(part, crowded); });
    if (!is_needed) continue;
    if (best == nullptr || key(piece) > key(*best)) best = &piece;
  }
  if (best == nullptr) return false;
  forest_.put(best->entity, around);
  const auto at = std::ranges::find(entities, best->entity);
  const std::vector<EntityId>& members = forest_[best->entity].members;
  entities.insert(entities.erase(at), members.begin(), members.end());
  return true;
}

void BubbleDistribution::burst_all(std::vector<EntityId>& entities, RunQueueId around) {
  std::vector<EntityId> threads;
  for (const EntityId entity : entities) {
    for (const EntityId thread : forest_.threads_of(entity)) threads.push_back(thread);
    put_bubbles(forest_, entity, around);
  }
  entities = std::move(threads);
}

void BubbleDistribution::settle(EntityId entity, RunQueueId core) {
  put_bubbles(forest_, entity, core);
  for (const EntityId thread : forest_.threads_of(entity)) {
    forest_.put(thread, core, brings_data_ && can_follow(forest_, thread, core));
  }
}

std::vector<DealPiece> BubbleDistribution::pieces_of(std::span<const EntityId> entities,
                                                     std::span<const RunQueueId> parts) const {
  std::vector<DealPiece> pieces;
  for (const EntityId id : entities) {
    const Entity& entity = forest_[id];
    DealPiece piece{.entity = id, .parent = entity.parent};
    piece.load = forest_.load_of(id);
    piece.threads = static_cast<double>(forest_.threads_of(id).size());
    piece.home = home_of(id, parts);
    piece.stays = !entity.is_bubble && is_partly_placed_ && entity.queue.valid() &&
                  piece.home != DealPiece::nowhere;
    pieces.push_back(piece);
  }
  return pieces;
}

std::vector<DealPart> BubbleDistribution::parts_of(std::span<const RunQueueId> parts) const {
  std::vector<DealPart> filled;
  for (const RunQueueId part : parts) {
    filled.push_back({static_cast<double>(forest_.queues()[part].cores.size()), others_.load(part),
                      static_cast<double>(others_.threads(part))});
  }
  return filled;
}

// Of a bubble: the part where most of its threads were.
std::size_t BubbleDistribution::home_of(EntityId entity, std::span<const RunQueueId> parts) const {
  const RunQueues& queues = forest_.queues();
  std::vector<std::size_t> threads(parts.size());
  std::size_t home = DealPiece::nowhere;
  for (const EntityId thread : forest_.threads_of(entity)) {
    const Entity& each = forest_[thread];
    RunQueueId was = each.queue;
    if (!was.valid() && each.last.valid()) was = queues.of(each.last);
    if (!was.valid()) continue;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      if (!queues.contains(parts[part], was)) continue;
      ++threads[part];
      if (home == DealPiece::nowhere || threads[part] > threads[home]) home = part;
    }
  }
  return home;
}

void place_near_master(Forest& forest, EntityId bubble) {
  const std::vector<RunQueueId> share = share_of(forest, bubble);
  const EntityId entities[] = {bubble};
  BubbleDistribution(forest, entities).place({bubble}, share);
  // A team of one thread lies in a core, but teams that it opens may have all of its share.
  const RunQueueId parent = forest.queues()[share.front()].parent;
  forest.put(bubble, share.size() == 1 ? share.front() : parent);
}

}  // namespace lares::policy
