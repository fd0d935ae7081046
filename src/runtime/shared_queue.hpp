// The queue of a place that several workers share: first in, first out, but for what recursions
// make; thieves never block on it.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <new>

#include "base/disorder.hpp"
#include "decide/limits.hpp"
#include "runtime/ancestry.hpp"
#include "runtime/spinlock.hpp"
#include "runtime/task.hpp"

namespace lares::runtime {

/// An intrusive list under a short lock. `length()` is read without it.
class alignas(64) SharedQueue {
 public:
  /// `rather_for`: the worker that shall rather run it, or an invalid id.
  void push(Task& task, WorkerId rather_for = {}) noexcept {
    task.next = nullptr;
    task.rather_for = rather_for;
    disorder::late(disorder::Point::queue_push);
    const std::lock_guard lock(lock_);
    if (goes_first(task)) return push_first(task);
    if (tail_ == nullptr) {
      head_ = &task;
    } else {
      tail_->next = &task;
    }
    tail_ = &task;
    count(task, 1);
  }

  /// The first task that `constraint` allows (nullptr allows all), or nullptr. `patient` waits for
  /// the lock; a thief passes false and goes on to its next victim instead. Without a constraint,
  /// and for a valid `taker`, decide::is_dealt_to comes first.
  Task* take(const Task* constraint, bool patient, WorkerId taker = {}) noexcept {
    return take_by(patient, [&]() noexcept {
      return constraint == nullptr ? unlink_dealt(taker)
                                   : unlink_if([&](const Task& task) noexcept {
                                       return descends_from(task, *constraint);
                                     });
    });
  }
  /// The same of those that are no branches of recursions (Task::is_branch).
  Task* take_leaf(const Task* constraint, bool patient) noexcept {
    if (length() <= branches()) return nullptr;
    return take_by(patient, [&]() noexcept {
      return unlink_if([&](const Task& task) noexcept {
        if (task.is_branch.load(std::memory_order_relaxed)) return false;
        return constraint == nullptr || descends_from(task, *constraint);
      });
    });
  }
  /// A constrained look at a long queue ends early and moves what it saw to the end: after so many
  /// it has seen all of it.
  [[nodiscard]] std::uint32_t looks_at_all() const noexcept {
    return length() / static_cast<std::uint32_t>(decide::constrained_look()) + 1;
  }

  [[nodiscard]] std::uint32_t length() const noexcept {
    return length_.load(std::memory_order_relaxed);
  }

  /// How many of them are branches of recursions: a guess beside length().
  [[nodiscard]] std::uint32_t branches() const noexcept {
    return branches_.load(std::memory_order_relaxed);
  }

  /// In the child of a fork, where a thread that was inside does not exist: the list as far as that
  /// thread had got.
  void renew_after_fork() noexcept {
    new (&lock_) Spinlock;
    tail_ = nullptr;
    length_.store(0, std::memory_order_relaxed);
    branches_.store(0, std::memory_order_relaxed);
    for (Task* task = head_; task != nullptr; task = task->next) {
      tail_ = task;
      count(*task, 1);
    }
  }

 private:
  template <class Unlink>
  Task* take_by(bool patient, Unlink unlink) noexcept {
    if (length() == 0) return nullptr;
    if (patient) {
      lock_.lock();
    } else {
      if (disorder::fails(disorder::Point::queue_take)) return nullptr;
      if (!lock_.try_lock()) return nullptr;
    }
    Task* task = unlink();
    lock_.unlock();
    return task;
  }
  /// The newest parts of a recursion first: its tree is walked in depth, and what others take is
  /// small.
  static bool goes_first(const Task& task) noexcept {
    if (task.kind == 0 || !task.home.valid()) return false;
    return task.depth.load(std::memory_order_relaxed) > 1 ||
           task.is_branch.load(std::memory_order_relaxed);
  }
  void push_first(Task& task) noexcept {
    task.next = head_;
    head_ = &task;
    if (tail_ == nullptr) tail_ = &task;
    count(task, 1);
  }
  void count(const Task& task, int by) noexcept {
    bump(length_, by);
    if (task.is_branch.load(std::memory_order_relaxed)) bump(branches_, by);
  }
  static void bump(std::atomic<std::uint32_t>& count, int by) noexcept {
    // Written under the lock only, so load + store loses nothing.
    count.store(count.load(std::memory_order_relaxed) + static_cast<std::uint32_t>(by),
                std::memory_order_relaxed);
  }
  Task* unlink_dealt(WorkerId taker) noexcept {
    Task* task = head_;
    if (task == nullptr) return nullptr;
    if (taker.valid() && !decide::is_dealt_to(task->rather_for, taker)) {
      Task* before = task;
      for (int looked = 1; looked < decide::limits::dealt_look && before->next != nullptr;
           ++looked) {
        Task* const next = before->next;
        if (decide::is_dealt_to(next->rather_for, taker)) return unlink_after(*before);
        before = next;
      }
    }
    head_ = task->next;
    if (head_ == nullptr) tail_ = nullptr;
    count(*task, -1);
    return task;
  }
  Task* unlink_after(Task& before) noexcept {
    Task* const task = before.next;
    before.next = task->next;
    if (tail_ == task) tail_ = &before;
    count(*task, -1);
    return task;
  }
  template <class MayTake>
  Task* unlink_if(MayTake may_take) noexcept {
    Task* before = nullptr;
    const int max_look = decide::constrained_look();
    int looked = 0;
    for (Task* task = head_; task != nullptr && looked < max_look; ++looked) {
      if (may_take(*task)) {
        (before == nullptr ? head_ : before->next) = task->next;
        if (tail_ == task) tail_ = before;
        count(*task, -1);
        return task;
      }
      before = task;
      task = task->next;
    }
    if (looked == max_look) rotate(before);
    return nullptr;
  }
  // Moves what was looked at to the end, so that the next look sees others: no task can hide
  // behind more than so many forbidden ones for ever.
  void rotate(Task* last_looked) noexcept {
    if (last_looked == nullptr || last_looked->next == nullptr) return;
    tail_->next = head_;
    tail_ = last_looked;
    head_ = last_looked->next;
    last_looked->next = nullptr;
  }

  Spinlock lock_;
  Task* head_ = nullptr;                    // under lock_
  Task* tail_ = nullptr;                    // under lock_
  std::atomic<std::uint32_t> length_{0};    // written under lock_, read by anyone
  std::atomic<std::uint32_t> branches_{0};  // likewise
};

}  // namespace lares::runtime
