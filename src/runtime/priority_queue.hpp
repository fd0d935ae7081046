// Ready tasks with a priority: highest first, first in first out among equals; one for the team.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "runtime/ancestry.hpp"
#include "runtime/spinlock.hpp"
#include "runtime/task.hpp"

namespace lares::runtime {

/// A binary heap under one lock, which only programs with priorities ever take.
class PriorityQueue {
 public:
  void push(Task& task) noexcept {
    const std::lock_guard lock(lock_);
    heap_.push_back({task.priority, ++pushed_, &task});
    rise(heap_.size() - 1);
    publish_length();
  }

  /// The first task of the highest priority. With a constraint: the first of those allowed among
  /// some that are near the front, so that a worker that may run few pays little for each look.
  Task* take(const Task* constraint) noexcept { return take_among(constraint, near_front); }

  /// The same, but among all: for a worker that waits and has found nothing for a while.
  Task* take_awaited(const Task* constraint) noexcept { return take_among(constraint, SIZE_MAX); }

  [[nodiscard]] std::uint32_t length() const noexcept {
    return length_.load(std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t near_front = 32;

  struct Entry {
    std::int32_t priority;
    std::uint64_t number;  ///< counts up: the first in is the first out
    Task* task;

    [[nodiscard]] bool before(const Entry& other) const noexcept {
      return priority != other.priority ? priority > other.priority : number < other.number;
    }
  };

  Task* take_among(const Task* constraint, std::size_t most) noexcept {
    if (length() == 0) return nullptr;
    const std::lock_guard lock(lock_);
    const std::size_t looks = most < heap_.size() ? most : heap_.size();
    std::size_t best = heap_.size();
    for (std::size_t i = 0; i < looks; ++i) {
      if (best != heap_.size() && !heap_[i].before(heap_[best])) continue;
      if (constraint != nullptr && !descends_from(*heap_[i].task, *constraint)) continue;
      best = i;
      if (constraint == nullptr) break;
    }
    return best == heap_.size() ? nullptr : remove(best);
  }

  Task* remove(std::size_t at) noexcept {
    Task* const task = heap_[at].task;
    heap_[at] = heap_.back();
    heap_.pop_back();
    if (at < heap_.size()) sink(rise(at));
    publish_length();
    return task;
  }

  // Brings an entry to where none above it should come later, or none below it earlier.
  std::size_t rise(std::size_t at) noexcept {
    while (at != 0 && heap_[at].before(heap_[(at - 1) / 2])) {
      std::swap(heap_[at], heap_[(at - 1) / 2]);
      at = (at - 1) / 2;
    }
    return at;
  }
  void sink(std::size_t at) noexcept {
    for (;;) {
      std::size_t first = at;
      for (std::size_t child = 2 * at + 1; child < 2 * at + 3 && child < heap_.size(); ++child) {
        if (heap_[child].before(heap_[first])) first = child;
      }
      if (first == at) return;
      std::swap(heap_[at], heap_[first]);
      at = first;
    }
  }

  void publish_length() noexcept {
    length_.store(static_cast<std::uint32_t>(heap_.size()), std::memory_order_relaxed);
  }

  Spinlock lock_;
  std::vector<Entry> heap_;               // under lock_
  std::uint64_t pushed_ = 0;              // under lock_
  std::atomic<std::uint32_t> length_{0};  // written under lock_, read by anyone
};

}  // namespace lares::runtime
