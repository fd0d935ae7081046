// OpenMP's memory spaces on this machine: which NUMA nodes each of them is made of.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "host/openmp/allocators/traits.hpp"
#include "machine/machine.hpp"
#include "memory/nodes.hpp"

namespace lares::omp {

/// The nodes of one memory space, here called targets and numbered from 0 as DomainIds of nodes(),
/// so that the floor memory/ can place by them. A value; immutable once made.
class Space {
 public:
  /// The default space: the memory of the domains that have cores.
  explicit Space(const machine::Machine& machine);
  /// The nodes of these kinds; if there is none, the same as the default space.
  Space(const machine::Machine& machine, std::span<const char* const> kinds);

  /// Targets; 0 on a machine that does not tell of nodes: then nothing can be placed.
  [[nodiscard]] std::size_t size() const noexcept { return homes_.size(); }
  /// True if it is not the memory that the system gives anyway.
  [[nodiscard]] bool special() const noexcept { return special_; }
  [[nodiscard]] Bytes total() const noexcept { return total_; }
  /// Targets are its first domains; it has more, so that it counts as several even with one.
  [[nodiscard]] const memory::Nodes& nodes() const noexcept { return nodes_; }
  /// The machine's domain whose memory a target is. Precondition: a target.
  [[nodiscard]] DomainId home_of(DomainId target) const noexcept { return homes_[target.index()]; }
  /// The target with the least distance from a domain, of equals the first; target 0 for a domain
  /// that does not exist. Precondition: size() > 0.
  [[nodiscard]] DomainId nearest_to(DomainId domain) const noexcept;
  /// The targets nearest to these domains, each once, in ascending order; all if there is no
  /// domain.
  [[nodiscard]] std::vector<DomainId> of_team(std::span<const DomainId> team) const;

 private:
  void add(const machine::Machine& machine, OsNode node, Bytes bytes);
  void finish(const machine::Machine& machine);

  bool special_ = false;
  Bytes total_;
  std::vector<OsNode> os_;
  std::vector<DomainId> homes_;    ///< by target
  std::vector<DomainId> nearest_;  ///< by the machine's DomainId
  memory::Nodes nodes_;
};

/// All of a machine's spaces.
class Spaces {
 public:
  explicit Spaces(const machine::Machine& machine);
  /// Of a space that is none of the five, the default one.
  [[nodiscard]] const Space& of(MemorySpace space) const noexcept;

 private:
  Space default_;
  Space high_bandwidth_;
  Space large_capacity_;
};

}  // namespace lares::omp
