// Inside the engine: what happens when a task ends, and who is counted until then.
#pragma once

#include <cstdint>

#include "runtime/task.hpp"
#include "runtime/team.hpp"

namespace lares::runtime {

/// Counts `task` as a child of its parent and a member of its group.
inline void count_child(Task& task) noexcept {
  Task& parent = *task.parent.load(std::memory_order_relaxed);
  if (parent.has(task_flag::untied)) {
    parent.holders.fetch_add(1, std::memory_order_relaxed);
  } else {
    ++parent.local_children;
  }
  // An undeferred task ends before its creator goes on: its group need not count it.
  if (task.group != nullptr && !task.has(task_flag::undeferred)) {
    task.group->incomplete.fetch_add(1, std::memory_order_relaxed);
  }
}
/// Counts `task` among the team's created tasks, which the barrier waits for.
void count_created(Worker& worker, Task& task) noexcept;

/// The body has ended. `worker` as in became_ready (placing.hpp). The descriptor may be gone
/// afterwards.
void complete(Worker* worker, Task& task) noexcept;

/// Subtracts `amount` from `holders`; frees the task when nobody holds it any more.
void drop_holder(ThreadState& self, Task& task, std::int64_t amount) noexcept;

}  // namespace lares::runtime
