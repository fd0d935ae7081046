// mutexinoutset: tasks that may run in any order, but not at the same time.
#pragma once

#include <cstdint>

#include "runtime/task.hpp"

namespace lares::runtime {

/// One lock for each maximal run of mutexinoutset tasks on an address. All fields are guarded by
/// one process-wide lock: the construct is rare and the sections are a few instructions.
struct ExclusiveLock {
  bool held = false;
  std::uint32_t users = 0;  ///< tasks and table entries that point here; freed at 0
};

/// The locks of one task.
struct ExclusiveSet {
  ExclusiveLock* lock = nullptr;
  ExclusiveSet* next = nullptr;
};

/// Makes `task` a user of `lock` (new if nullptr) and returns the lock. Before submission.
ExclusiveLock* join_exclusive(Task& task, ExclusiveLock* lock) noexcept;
/// A table entry keeps / drops the lock.
void keep_exclusive(ExclusiveLock* lock) noexcept;
void drop_exclusive(ExclusiveLock* lock) noexcept;

/// Takes all locks of `task` or none. If none, the task waits in a list and is returned by some
/// later `release_exclusive`.
bool acquire_exclusive(Task& task) noexcept;
/// Gives all locks of a completed `task` back; returns the list (by Task::next) of waiting tasks
/// that now hold all of theirs.
Task* release_exclusive(Task& task) noexcept;

}  // namespace lares::runtime
