// Inside the engine: how ready tasks find a queue, how workers find tasks, what happens when one
// ends.
#pragma once

#include <cstdint>

#include "runtime/engine.hpp"
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
/// True if the worker's own deque holds enough to keep others busy.
bool is_own_queue_full(Worker& worker) noexcept;

/// A task that the worker may run now, from the places in the order of the steal policy; or
/// nullptr.
Task* find_work(Worker& worker) noexcept;

/// For a worker that waits inside a task and has found nothing for long: a task that it may run,
/// from any queue that several workers share, whatever the steal policy; or nullptr. What it waits
/// for must not lie where its policy never looks. It also moves what its own deque holds to its
/// domain's queue: it may run nothing of that, and thieves of a deque see the oldest task only,
/// behind which the one that another waits for may be hidden. Does nothing for a worker that may
/// run any task.
Task* find_awaited(Worker& worker) noexcept;

/// A task from the worker's own deque or its domain's queue that it may run now, or nullptr.
Task* take_own(Worker& worker) noexcept;

/// Runs the task's body (unless it is cancelled) and completes it.
void execute(Worker& worker, Task& task) noexcept;

/// The body has ended. `worker` as in became_ready. The descriptor may be gone afterwards.
void complete(Worker* worker, Task& task) noexcept;

/// The bookkeeping around a body: makes `task` the current one, and back.
void begin_body(Worker& worker, Task& task) noexcept;
void end_body(Worker& worker, Task& task) noexcept;

/// Counts `task` as a child of its parent and a member of its group.
void count_child(Worker& worker, Task& task) noexcept;
/// Counts `task` among the team's created tasks, which the barrier waits for.
void count_created(Worker& worker, Task& task) noexcept;

/// Subtracts `amount` from `holders`; frees the task when nobody holds it any more.
void drop_holder(ThreadState& self, Task& task, std::int64_t amount) noexcept;

/// Wakes a sleeper for a task put into `domain`, if one sleeps and a core is free for it.
void notify(Team& team, DomainId domain) noexcept;
/// Wakes all sleepers of one domain, or of the team.
void wake_domain(Team& team, DomainId domain) noexcept;
void wake_team(Team& team) noexcept;

/// The barrier itself, for those who have said why they wait (record.hpp).
bool meet_at_barrier(Worker& worker) noexcept;

/// True if the task must not start: its group or its region is cancelled.
bool is_dropped(const Task& task) noexcept;

}  // namespace lares::runtime
