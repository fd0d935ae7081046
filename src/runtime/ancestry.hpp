// Who descends from whom: the question of the task scheduling constraint.
#pragma once

#include "runtime/task.hpp"

namespace lares::runtime {

/// Gives a task that is to have its first child its jump pointer. The caller runs it.
void set_jump(Task& task) noexcept;

/// Makes `task` a child of `parent`, which the caller runs. Before the task is visible to others.
///
/// Invariant: whoever has had a child, but for the roots, has a jump pointer: leaves, most of all
/// tasks, need none.
inline void become_child(Task& task, Task& parent) noexcept {
  const std::uint32_t depth = parent.depth.load(std::memory_order_relaxed);
  if (parent.jump.load(std::memory_order_relaxed) == nullptr && depth != 0) set_jump(parent);
  // release: see ancestry.cpp.
  task.parent.store(&parent, std::memory_order_release);
  task.depth.store(depth + 1, std::memory_order_release);
  task.jump.store(nullptr, std::memory_order_release);
}

/// True if `task` descends from `ancestor` (or is it), which has not completed. O(log depth) while
/// no ancestor between them has completed. Any thread.
///
/// The answer is right if the task cannot start or be freed meanwhile (it is in a queue whose lock
/// the caller holds, or the caller took it). A thief may ask about a task that it has not taken:
/// the walk is safe, and the answer was right if the thief then finds that nobody else has taken
/// the task. False may also mean that the tree changed too often meanwhile: ask again later.
bool descends_from(const Task& task, const Task& ancestor) noexcept;

/// True once the task's body has ended and its descriptor is kept for descendants only.
inline bool has_completed(const Task& task) noexcept {
  // acquire: seeing it means seeing its last `parent`. Between the two values lies more than all
  // references and children can add up to.
  return task.holders.load(std::memory_order_acquire) < Task::alive / 2;
}

}  // namespace lares::runtime
