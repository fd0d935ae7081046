// Inside the engine: how ready tasks find a queue.
#pragma once

#include "runtime/task.hpp"
#include "runtime/team.hpp"

namespace lares::runtime {

/// `task` has nothing left to wait for. `worker` is the calling worker of the task's own team, or
/// nullptr (a thread outside of it).
void became_ready(Worker* worker, Task& task) noexcept;

/// The second half of it, once the task also has its mutexinoutset locks.
void hand_over(Worker* worker, Task& task) noexcept;

/// Puts a ready task into the place that the push policy chooses.
void enqueue(Worker& worker, Task& task) noexcept;
/// The same for a new child of the current task: runs it at once if that place is full.
void place_ready(Worker& worker, Task& task) noexcept;

}  // namespace lares::runtime
