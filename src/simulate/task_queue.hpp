// The queues of the simulated team.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulate/workload.hpp"

namespace lares::simulate {

/// Ready tasks, oldest first. Of a worker, who works at the newest end, or shared.
class TaskQueue {
 public:
  static constexpr TaskIndex none = Script::none;

  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  void push(TaskIndex task);
  /// The newest if `allowed(task)`, else none.
  template <class Allowed>
  TaskIndex take_newest(Allowed allowed) {
    if (size_ == 0 || !allowed(at(size_ - 1))) return none;
    --size_;
    return at(size_);
  }
  /// The oldest if `allowed(task)`, else none.
  template <class Allowed>
  TaskIndex take_oldest(Allowed allowed) {
    if (size_ == 0 || !allowed(at(0))) return none;
    return drop_oldest();
  }
  /// The oldest of the first `looks` that `is_better`, else the oldest, or none.
  template <class IsBetter>
  TaskIndex take_rather(IsBetter is_better, std::uint32_t looks) {
    if (size_ == 0) return none;
    for (std::uint32_t i = 0; i < std::min(looks, size_); ++i) {
      if (is_better(at(i))) return drop(i);
    }
    return drop_oldest();
  }
  /// The oldest of the first `looks` for which `allowed(task)`; if there is none, these go to the
  /// end, so that the next look sees others.
  template <class Allowed>
  TaskIndex take_allowed(Allowed allowed, std::uint32_t looks) {
    if (looks > size_) looks = size_;
    for (std::uint32_t i = 0; i < looks; ++i) {
      if (allowed(at(i))) return drop(i);
    }
    if (looks < size_) {
      for (std::uint32_t i = 0; i < looks; ++i) push(drop_oldest());
    }
    return none;
  }

 private:
  TaskIndex& at(std::uint32_t i) noexcept { return ring_[(first_ + i) & (ring_.size() - 1)]; }
  TaskIndex drop(std::uint32_t i) noexcept {
    const TaskIndex task = at(i);
    for (; i > 0; --i) at(i) = at(i - 1);
    drop_oldest();
    return task;
  }
  TaskIndex drop_oldest() noexcept {
    const TaskIndex task = at(0);
    first_ = static_cast<std::uint32_t>((first_ + 1) & (ring_.size() - 1));
    --size_;
    return task;
  }

  std::vector<TaskIndex> ring_ = std::vector<TaskIndex>(16);
  std::uint32_t first_ = 0;
  std::uint32_t size_ = 0;
};

/// Tasks with a priority: the highest first, first in first out among equals.
class PriorityQueue {
 public:
  [[nodiscard]] std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(tasks_.size());
  }
  void push(TaskIndex task, std::int32_t priority);
  /// The first for which `allowed(task)`, or none.
  template <class Allowed>
  TaskIndex take(Allowed allowed) {
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      const TaskIndex task = tasks_[i].task;
      if (!allowed(task)) continue;
      tasks_.erase(tasks_.begin() + static_cast<std::ptrdiff_t>(i));
      return task;
    }
    return TaskQueue::none;
  }

 private:
  struct Entry {
    TaskIndex task;
    std::int32_t priority;
  };
  std::vector<Entry> tasks_;  // in the order in which they are taken
};

}  // namespace lares::simulate
