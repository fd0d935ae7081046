// On which cores threads have something to do, counted as that changes: asked at the end of each
// region, of however large a machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "policy/bubbles/run_queues.hpp"

namespace lares::policy {

/// Not thread safe. Invariants: `busy_[c]` threads were added to queues that hold core c and not
/// removed again; `idle_` usable cores have none, `crowded_` have several.
class BusyCores {
 public:
  explicit BusyCores(const RunQueues& queues);

  /// A thread that has something to do may run on the cores of a queue. O(cores of the queue).
  void add(RunQueueId queue) noexcept;
  void remove(RunQueueId queue) noexcept;

  [[nodiscard]] bool any_crowded() const noexcept { return crowded_ != 0; }
  /// Whether a core has nobody while others are shared. O(1).
  [[nodiscard]] bool any_idle_beside_crowded() const noexcept {
    return crowded_ != 0 && idle_ != 0;
  }
  /// The cores without anybody, in logical order. O(cores).
  [[nodiscard]] std::vector<CoreId> idle() const;

 private:
  const RunQueues& queues_;
  std::vector<std::uint32_t> busy_;  // by core
  std::size_t idle_ = 0;
  std::size_t crowded_ = 0;
};

}  // namespace lares::policy
