// Inside the engine: running a task's body, and what is counted of it.
#pragma once

#include "runtime/task.hpp"
#include "runtime/team.hpp"

namespace lares::runtime {

/// Runs the task's body (unless it is cancelled) and completes it.
void execute(Worker& worker, Task& task) noexcept;

/// The bookkeeping around a body: makes `task` the current one, and back.
void begin_body(Worker& worker, Task& task) noexcept;
void end_body(Worker& worker, Task& task) noexcept;

/// The body of a detachable task has ended. True if its event is to come: fulfil() completes it
/// then, maybe before this returns.
bool body_ended(Task& task) noexcept;

/// True if the task must not start: its group or its region is cancelled.
bool is_dropped(const Task& task) noexcept;

}  // namespace lares::runtime
