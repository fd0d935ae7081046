// mutexinoutset: tasks that may run in any order, but not at the same time.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/spinlock.hpp"
#include "runtime/task.hpp"

namespace lares::runtime {

/// One lock for each maximal run of mutexinoutset tasks on an address. Any thread.
struct ExclusiveLock {
  Spinlock guard;           ///< of the next three
  bool held = false;        ///< by a task that may run
  Task* waiting = nullptr;  ///< tasks that found it held, oldest first, linked by Task::next
  Task* last_waiting = nullptr;
  std::atomic<std::uint32_t> users{0};  ///< tasks and table entries that point here; freed at 0
};

/// The locks of one task, by address: guards are taken in this order.
struct ExclusiveSet {
  ExclusiveLock* lock = nullptr;
  ExclusiveSet* next = nullptr;
};

/// Makes `task` a user of `lock` (new if nullptr) and returns the lock. Before submission.
ExclusiveLock* join_exclusive(Task& task, ExclusiveLock* lock) noexcept;
/// A table entry keeps / drops the lock.
void keep_exclusive(ExclusiveLock* lock) noexcept;
void drop_exclusive(ExclusiveLock* lock) noexcept;

/// Takes all locks of `task` or none. If none, the task waits at one that is held, and is returned
/// by some later `release_exclusive`.
bool acquire_exclusive(Task& task) noexcept;
/// Gives all locks of a completed `task` back; returns the list (by Task::next) of waiting tasks
/// that now hold all of theirs.
Task* release_exclusive(Task& task) noexcept;

}  // namespace lares::runtime
