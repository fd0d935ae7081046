// Ready tasks with a priority: highest first, first in first out among equals; one for the team.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <new>
#include <vector>

#include "runtime/spinlock.hpp"
#include "runtime/task.hpp"

namespace lares::runtime {

/// A list for each priority that was ever used, highest first: programs use few. Under one lock,
/// which only programs with priorities ever take.
class PriorityQueue {
 public:
  void push(Task& task) noexcept {
    task.next = nullptr;
    const std::lock_guard lock(lock_);
    Level& level = level_of(task.priority);
    (level.head == nullptr ? level.head : level.tail->next) = &task;
    level.tail = &task;
    length_.store(length_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  /// The first task of the highest priority that `constraint` allows (nullptr allows all).
  Task* take(const Task* constraint) noexcept {
    if (length() == 0) return nullptr;
    const std::lock_guard lock(lock_);
    for (Level& level : levels_) {
      Task* before = nullptr;
      for (Task* task = level.head; task != nullptr; before = task, task = task->next) {
        if (constraint != nullptr && !descends_from(*task, *constraint)) continue;
        (before == nullptr ? level.head : before->next) = task->next;
        if (level.tail == task) level.tail = before;
        length_.store(length_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
        return task;
      }
    }
    return nullptr;
  }

  [[nodiscard]] std::uint32_t length() const noexcept {
    return length_.load(std::memory_order_relaxed);
  }

  /// In the child of a fork, where a thread that was inside does not exist: the lists as far as
  /// that thread had got.
  void renew_after_fork() noexcept {
    new (&lock_) Spinlock;
    std::uint32_t length = 0;
    for (Level& level : levels_) {
      level.tail = nullptr;
      for (Task* task = level.head; task != nullptr; task = task->next, ++length) level.tail = task;
    }
    length_.store(length, std::memory_order_relaxed);
  }

 private:
  struct Level {
    std::int32_t priority;
    Task* head;
    Task* tail;
  };

  Level& level_of(std::int32_t priority) {
    auto at = levels_.begin();
    while (at != levels_.end() && at->priority > priority) ++at;
    if (at == levels_.end() || at->priority != priority) {
      at = levels_.insert(at, Level{priority, nullptr, nullptr});
    }
    return *at;
  }

  Spinlock lock_;
  std::vector<Level> levels_;             // under lock_
  std::atomic<std::uint32_t> length_{0};  // written under lock_, read by anyone
};

}  // namespace lares::runtime
