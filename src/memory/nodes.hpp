// Which domain's memory is which NUMA node, and where a thread runs.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "machine/machine.hpp"
#include "memory/calls.hpp"

namespace lares::memory {

/// What placing must know of a machine. Thread safety: immutable after construction.
class Nodes {
 public:
  explicit Nodes(const machine::Machine& machine);

  /// Domains, those without cores included.
  [[nodiscard]] std::size_t domains() const noexcept { return node_of_.size(); }
  [[nodiscard]] bool has(DomainId domain) const noexcept {
    return domain.valid() && domain.index() < domains();
  }
  /// The node of a domain's memory; invalid if it has none or the domain does not exist.
  [[nodiscard]] OsNode node_of(DomainId domain) const noexcept {
    return has(domain) ? node_of_[domain.index()] : OsNode{};
  }
  /// The first domain of a node, or an invalid id.
  [[nodiscard]] DomainId domain_of(OsNode node) const noexcept {
    return node.valid() && node.index() < domain_of_.size() ? domain_of_[node.index()] : DomainId{};
  }
  /// Where data goes if nobody says otherwise: domains with cores and memory, else (there is none)
  /// all that have memory. Memory without cores (CXL, HBM) is for who asks for it.
  [[nodiscard]] std::span<const DomainId> usual() const noexcept { return usual_; }
  /// False where all domains share one memory: placing and moving then change nothing but what is
  /// known of homes.
  [[nodiscard]] bool several() const noexcept { return several_; }

  /// The domain of a processor: that of its core, else (a processor that is not the program's) the
  /// first of its node, else domain 0.
  [[nodiscard]] DomainId domain_of_cpu(unsigned cpu, unsigned node) const noexcept;
  /// The domain that the calling thread runs in at this moment.
  [[nodiscard]] DomainId here(const SystemCalls& calls) const noexcept;

 private:
  std::vector<OsNode> node_of_;          ///< by DomainId
  std::vector<DomainId> domain_of_;      ///< by OsNode
  std::vector<DomainId> domain_of_cpu_;  ///< by OsCpu
  std::vector<DomainId> usual_;
  bool several_ = false;
};

}  // namespace lares::memory
