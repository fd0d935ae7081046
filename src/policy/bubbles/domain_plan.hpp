// Which domain each entity goes to: where most of its data is, as long as that has cores and memory
// for it (Broquedis et al. 2010, 4.1.1).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/bubbles/deal.hpp"
#include "policy/bubbles/forest.hpp"

namespace lares::policy {

/// Where those count that are not planned: where they are, or where their data is, since they will
/// go there when they are asked.
enum class Others : std::uint8_t { where_they_are, where_their_data_is };

/// The domains of one part of the machine, and who of some entities goes to which.
class DomainPlan {
 public:
  /// `room` has several domains; `entities` are disjoint.
  DomainPlan(Forest& forest, std::span<const EntityId> entities, RunQueueId room, Others others);

  /// Decides and puts every thread into the queue of a core. Of a domain that holds all of `share`
  /// only that is used.
  void carry_out(std::span<const RunQueueId> share);

 private:
  struct Drawn {
    EntityId entity;
    DomainId wish;  // where its data is; invalid: it has none
    DomainId to;    // the answer
    double load = 0;
    double threads = 0;
    double weight = 0;  // of its data
  };
  struct Filled {
    DomainId domain;
    DealPart part;
    std::uint64_t coming = 0;  // bytes that are planned to come
  };

  void gather(EntityId entity);
  void add_others(Others others);
  void draw_by_data();
  void deal_the_rest();
  void relieve_all();
  bool relieve(Filled& full);
  bool move_on(Drawn& drawn, Filled& full);
  void burst(std::size_t index);
  void enter(Drawn& drawn, Filled& domain);
  void leave(const Drawn& drawn, Filled& domain);
  [[nodiscard]] Drawn drawn(EntityId entity) const;
  [[nodiscard]] Filled* filled(DomainId domain);
  [[nodiscard]] DomainId nearest_in_room(DomainId wish) const;
  [[nodiscard]] std::vector<Filled*> nearest_first(DomainId from);
  [[nodiscard]] bool is_overfull(const Filled& domain) const;
  [[nodiscard]] double fair_load() const;  // a core's

  Forest& forest_;
  RunQueueId room_;
  std::vector<EntityId> entities_;
  std::vector<Drawn> drawn_;
  std::vector<Filled> domains_;
};

/// Whether the data of a bubble's threads is all in one domain, as far as they have any.
bool is_of_one_mind(const Forest& forest, EntityId entity);

}  // namespace lares::policy
