// The places of one team: a tree of queues over machine, domains and workers. Data only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "machine/machine.hpp"

namespace lares::policy {

/// One queue of the tree.
struct Place {
  machine::Level level = machine::Level::machine;
  PlaceId parent;                  ///< invalid for the root
  DomainId domain;                 ///< the domain it lies in; invalid above the domain level
  WorkerId worker;                 ///< valid exactly for the places of one worker (level core)
  std::vector<WorkerId> workers;   ///< the workers below it, in order
};

/// Immutable after construction; shared by all workers of a team.
/// Domains here are those of the machine, by the same DomainId; a domain without a worker of this
/// team still has a place, so that tasks can be sent there and stolen.
class Places {
 public:
  /// `core_of_worker[w]` is the core that worker w runs on, or invalid if it is not bound to one
  /// core; such workers are dealt to the domains in turn.
  Places(const machine::Machine& machine, std::span<const CoreId> core_of_worker);

  [[nodiscard]] std::size_t size() const noexcept { return places_.size(); }
  [[nodiscard]] const Place& operator[](PlaceId place) const noexcept {
    return places_[place.index()];
  }
  [[nodiscard]] PlaceId root() const noexcept { return PlaceId{0}; }

  [[nodiscard]] std::size_t worker_count() const noexcept { return of_worker_.size(); }
  [[nodiscard]] PlaceId of(WorkerId worker) const noexcept { return of_worker_[worker.index()]; }
  [[nodiscard]] DomainId domain_of(WorkerId worker) const noexcept {
    return places_[of(worker).index()].domain;
  }

  /// Domains that have cores; only these have a place.
  [[nodiscard]] std::size_t domain_count() const noexcept { return of_domain_.size(); }
  [[nodiscard]] PlaceId of(DomainId domain) const noexcept { return of_domain_[domain.index()]; }
  [[nodiscard]] std::span<const WorkerId> workers_in(DomainId domain) const noexcept {
    return places_[of(domain).index()].workers;
  }

  /// Distance between two domains, 10 = local. Domains that are memory only are allowed as `to`.
  [[nodiscard]] std::uint32_t distance(DomainId from, DomainId to) const noexcept;
  /// All domains that have cores, nearest first (`from` itself is first; ties by number).
  [[nodiscard]] std::span<const DomainId> nearest_first(DomainId from) const noexcept;
  /// The domain with cores that is nearest to `domain` (itself if it has cores).
  [[nodiscard]] DomainId with_cores(DomainId domain) const noexcept;

 private:
  std::vector<Place> places_;
  std::vector<PlaceId> of_worker_;
  std::vector<PlaceId> of_domain_;
  std::vector<DomainId> nearest_;         // domain_count() rows of domain_count()
  std::vector<DomainId> with_cores_;      // by DomainId, all domains
  machine::Distances distances_;
};

}  // namespace lares::policy
