// How many threads each part of the machine has, and how much work.
#pragma once

#include <cstddef>
#include <vector>

#include "policy/bubbles/forest.hpp"

namespace lares::policy {

/// Of each run queue: what is there and in all the queues within it.
class Occupancy {
 public:
  explicit Occupancy(const RunQueues& queues) : queues_(queues), at_(queues.size()) {}

  /// A thread: in a queue and all those around it.
  void add(RunQueueId queue, double load) { change(queue, load, 1); }
  void remove(RunQueueId queue, double load) { change(queue, -load, -1); }

  [[nodiscard]] double load(RunQueueId queue) const noexcept { return at_[queue.index()].load; }
  [[nodiscard]] std::ptrdiff_t threads(RunQueueId queue) const noexcept {
    return at_[queue.index()].threads;
  }

 private:
  struct Sum {
    double load = 0;
    std::ptrdiff_t threads = 0;
  };
  void change(RunQueueId queue, double load, std::ptrdiff_t threads) {
    for (; queue.valid(); queue = queues_[queue].parent) {
      at_[queue.index()].load += load;
      at_[queue.index()].threads += threads;
    }
  }

  const RunQueues& queues_;
  std::vector<Sum> at_;
};

/// By entity: whether it is one of these, or lies in one.
class EntitySet {
 public:
  EntitySet(const Forest& forest, std::span<const EntityId> entities);
  [[nodiscard]] bool has(EntityId thread) const noexcept {
    return thread.index() < has_.size() && has_[thread.index()];
  }

 private:
  std::vector<bool> has_;
};

/// Threads outside of `set` that have not ended and have a queue.
Occupancy occupancy_of_others(const Forest& forest, const EntitySet& set);

}  // namespace lares::policy
