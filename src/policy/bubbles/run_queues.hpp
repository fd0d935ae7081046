// The machine as a bubble scheduler sees it: a run queue for each part of it that holds several
// cores, and one for each core (Broquedis et al. 2010, 3.2 and Figure 2). Data only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "machine/machine.hpp"

namespace lares::policy {

using RunQueueId =
    Id<struct RunQueueTag>;  ///< a part of the machine whose cores may run what is there

/// One part of the machine.
struct RunQueue {
  machine::Level level = machine::Level::machine;
  RunQueueId parent;                 ///< invalid for the whole machine
  std::vector<RunQueueId> children;  ///< the parts that it is made of; none for a core
  std::vector<CoreId> cores;         ///< in logical order, never empty
  DomainId domain;                   ///< in which it lies; invalid above the domains
};

/// Immutable; may be shared between threads. The whole machine is 0; parents come before children;
/// the children of a queue hold each of its cores once.
class RunQueues {
 public:
  /// Of the cores in `usable` only (empty: of all), which the process may run on. Needs a valid
  /// machine. O(cores x depth of the tree).
  explicit RunQueues(const machine::Machine& machine, std::span<const CoreId> usable = {});

  [[nodiscard]] std::size_t size() const noexcept { return queues_.size(); }
  [[nodiscard]] RunQueueId whole() const noexcept { return RunQueueId{0}; }
  [[nodiscard]] const RunQueue& operator[](RunQueueId queue) const noexcept {
    return queues_[queue.index()];
  }
  /// The queue of one core; invalid if it is not usable.
  [[nodiscard]] RunQueueId of(CoreId core) const noexcept { return of_core_[core.index()]; }
  /// The widest queue within a domain; invalid if none of its cores is usable.
  [[nodiscard]] RunQueueId of(DomainId domain) const noexcept { return of_domain_[domain.index()]; }
  [[nodiscard]] bool is_core(RunQueueId queue) const noexcept {
    return queues_[queue.index()].children.empty();
  }
  /// Whether every core of `inner` is one of `outer`. O(depth).
  [[nodiscard]] bool contains(RunQueueId outer, RunQueueId inner) const noexcept;

  [[nodiscard]] const machine::Distances& distances() const noexcept { return distances_; }
  /// Domains of the machine, those without cores as well.
  [[nodiscard]] std::size_t domain_count() const noexcept { return of_domain_.size(); }
  /// Bytes of a domain's memory; 0: not known.
  [[nodiscard]] Bytes memory(DomainId domain) const noexcept { return memory_[domain.index()]; }

 private:
  RunQueueId add(machine::Level level, RunQueueId parent, std::vector<CoreId> cores);
  void add_levels(const machine::Machine& machine, const std::vector<bool>& is_usable);
  void add_cores();
  void find_domains(const machine::Machine& machine, const std::vector<bool>& is_usable);

  std::vector<RunQueue> queues_;
  std::vector<RunQueueId> of_core_;
  std::vector<RunQueueId> of_domain_;
  std::vector<Bytes> memory_;
  machine::Distances distances_;
};

}  // namespace lares::policy
