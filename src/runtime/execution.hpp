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

/// The body of a task, or the last part of it, has ended: completes the task, unless its event is
/// still to come (`fulfil` does it then).
void body_ended(Worker& worker, Task& task) noexcept;

}  // namespace lares::runtime
