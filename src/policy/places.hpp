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
  PlaceId parent;                 ///< invalid for the root
  DomainId domain;                ///< the domain it lies in; invalid above the domain level
  WorkerId worker;                ///< valid exactly for the places of one worker (level core)
  std::vector<WorkerId> workers;  ///< the workers below it, in order
};

/// Immutable after construction; shared by all workers of a team. Every answer is O(1).
///
/// Ids: the root is 0; then come the nodes of the machine's tree that are domains, or that hold
/// several cores and at least one worker, parents first; then one place per worker, in order.
/// Domains here are those of the machine, by the same DomainId. A domain without a worker of this
/// team still has a place, but nobody is at home there: a push asks `with_workers` where its tasks
/// go.
class Places {
 public:
  /// `core_of_worker[w]` is the core that worker w runs on, or invalid if it is not bound to one
  /// core; such workers are dealt to the domains in turn. Needs a valid machine (see
  /// machine::validate). O(domains^2 log domains + workers x depth of the tree).
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
  [[nodiscard]] std::uint32_t distance(DomainId from, DomainId to) const noexcept {
    return distances_.at(from, to);
  }
  /// The least distance in the matrix: no way from any core to any memory is shorter.
  [[nodiscard]] std::uint32_t least_distance() const noexcept { return least_distance_; }
  /// All domains that have cores, nearest first (`from` itself is first; ties by number).
  [[nodiscard]] std::span<const DomainId> nearest_first(DomainId from) const noexcept {
    return std::span(nearest_).subspan(from.index() * domain_count(), domain_count());
  }
  /// The domain with cores that is nearest to `domain` (itself if it has cores).
  [[nodiscard]] DomainId with_cores(DomainId domain) const noexcept {
    return with_cores_[domain.index()];
  }

  /// The domains in which this team has a worker, by number.
  [[nodiscard]] std::span<const DomainId> domains_with_workers() const noexcept {
    return with_workers_;
  }
  /// The domain nearest to `domain` in which this team has a worker (itself if it has one): where
  /// tasks for `domain` go, so that every place that a push fills has somebody at home who visits
  /// it, whatever the steal policy.
  [[nodiscard]] DomainId with_workers(DomainId domain) const noexcept {
    return nearest_with_workers_[domain.index()];
  }

 private:
  struct Roster;  // which worker is on which core, while the tree is built

  void add_tree(const machine::Machine& machine, Roster& roster);
  void add_missing_domains(machine::Level level);
  void add_workers(const machine::Machine& machine, const Roster& roster);
  void set_distances(const machine::Machine& machine);
  void sort_by_distance();
  void find_substitutes(std::size_t all_domains);
  [[nodiscard]] DomainId nearest_of(std::span<const DomainId> candidates,
                                    DomainId to) const noexcept;
  PlaceId add(Place place);

  std::vector<Place> places_;
  std::vector<PlaceId> of_worker_;
  std::vector<PlaceId> of_domain_;
  std::vector<DomainId> nearest_;               // domain_count() rows of domain_count()
  std::vector<DomainId> with_cores_;            // by DomainId, all domains
  std::vector<DomainId> with_workers_;          // ascending
  std::vector<DomainId> nearest_with_workers_;  // by DomainId, all domains
  machine::Distances distances_;
  std::uint32_t least_distance_ = 0;
};

}  // namespace lares::policy
