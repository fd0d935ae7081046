// From a part of the machine down to its cores: entities are dealt to the parts of each part, and a
// bubble bursts where one would starve otherwise (Broquedis et al. 2010, 4.1).
#pragma once

#include <span>
#include <vector>

#include "policy/bubbles/deal.hpp"
#include "policy/bubbles/occupancy.hpp"

namespace lares::policy {

/// Places some entities once. What else runs is taken into account and stays where it is.
class BubbleDistribution {
 public:
  /// Of those of `entities` some have a queue and some not: those that have one run already, and
  /// keep their cores. `forest` must outlive it.
  BubbleDistribution(Forest& forest, std::span<const EntityId> entities,
                     Neighbours neighbours = Neighbours::together);

  /// Over `parts`, which are all children of one queue, or one queue alone. `brings_data`: what is
  /// attached to a thread elsewhere than where it comes to shall follow, as far as there is room.
  void place(std::vector<EntityId> entities, std::span<const RunQueueId> parts,
             bool brings_data = false);

 private:
  void descend(std::vector<EntityId> entities, RunQueueId queue);
  void divide(std::vector<EntityId> entities, std::span<const RunQueueId> parts, RunQueueId around);
  bool burst_one(std::vector<EntityId>& entities, std::span<const DealPiece> pieces,
                 std::span<const DealPart> parts, RunQueueId around);
  void burst_all(std::vector<EntityId>& entities, RunQueueId around);
  void settle(EntityId entity, RunQueueId core);
  [[nodiscard]] std::vector<DealPiece> pieces_of(std::span<const EntityId> entities,
                                                 std::span<const RunQueueId> parts) const;
  [[nodiscard]] std::vector<DealPart> parts_of(std::span<const RunQueueId> parts) const;
  [[nodiscard]] std::size_t home_of(EntityId entity, std::span<const RunQueueId> parts) const;

  Forest& forest_;
  EntitySet set_;
  Occupancy others_;
  Neighbours neighbours_;
  bool is_partly_placed_ = false;
  bool brings_data_ = false;
};

/// All of a bubble where Cache would have it: the part of the machine that is its share.
void place_near_master(Forest& forest, EntityId bubble);

}  // namespace lares::policy
