// Who else is told of what happens to tasks, at the moments of the record: the front end of a tool
// that watches the program (host/openmp/tools). The engine knows of it only what stands here.
// Where nobody watches, each moment costs one look at a word of the worker, or of the task.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "runtime/engine.hpp"
#include "runtime/task.hpp"
#include "runtime/team.hpp"

namespace lares::runtime {

/// Each is called by the thread that it happens on. None may create tasks or wait for one.
struct Watcher {
  /// The current task has made `task`, which is visible to nobody else yet.
  void (*created)(Worker& worker, Task& task, std::span<const Dependence> dependences,
                  bool undeferred) noexcept;
  /// `task` will not begin before `before`, another child of its creator, has completed.
  void (*depends)(Task& before, Task& task) noexcept;
  /// The worker leaves what it does for `task`.
  void (*begun)(Worker& worker, Task& task) noexcept;
  /// The task has begun, but its body is left out: it is cancelled.
  void (*dropped)(Worker& worker, Task& task) noexcept;
  /// The body is over, and the worker goes back to what it did before. The task completes now.
  void (*ended)(Worker& worker, Task& task) noexcept;
  /// The same, but the task's event is still to come.
  void (*detached)(Worker& worker, Task& task) noexcept;
  /// The event has come, and the task's body is over (`late`) or not. Any thread.
  void (*fulfilled)(Task& task, bool late) noexcept;
};

namespace watch {

/// From now on `watcher`, which lives for ever, is told of the tasks of teams that are entered
/// later. Once in a process.
void set(const Watcher& watcher) noexcept;
/// nullptr if nobody watches. Thread safe.
const Watcher* watcher() noexcept;
/// The calling thread enters `worker`'s team. After record::enter_team().
void enter_team(Worker& worker) noexcept;
/// What the worker does is nobody's business in this team after all. Before its first task.
void leave_out(Worker& worker) noexcept;

/// True if somebody is told of what the worker does.
inline bool is_on(const Worker& worker) noexcept { return worker.watcher != nullptr; }
/// True if somebody was told of the task when it was made, and so is told of all the rest.
inline bool is_on(const Task& task) noexcept { return task.has(task_flag::watched); }

// For the three that follow, see Watcher. Called where somebody watches.
void tell_created(Worker& worker, Task& task, std::span<const Dependence> dependences,
                  bool undeferred) noexcept;
void tell_begun(Worker& worker, Task& task) noexcept;
void tell_ended(Worker& worker, Task& task) noexcept;

/// A detachable task is told of by two threads, whose order the exchange of `detach_state` decides:
/// the first one tells, then `tell_fulfilled` or `tell_detached` adds one to `Task::told`; the
/// other waits for that before it tells. So the tool hears of one after the other, and of a task
/// that is still there: only the second one lets it complete.
void tell_detached(Worker& worker, Task& task) noexcept;
void tell_fulfilled(Task& task, bool late) noexcept;
/// Waits until the other thread has told `times` of them.
void wait_until_told(Task& task, std::uint32_t times) noexcept;

inline void created(Worker& worker, Task& task, std::span<const Dependence> dependences,
                    bool undeferred) noexcept {
  if (is_on(worker)) [[unlikely]]
    tell_created(worker, task, dependences, undeferred);
}
inline void begun(Worker& worker, Task& task) noexcept {
  if (is_on(task)) [[unlikely]]
    tell_begun(worker, task);
}
/// Not of detachable ones: see tell_detached().
inline void ended(Worker& worker, Task& task) noexcept {
  if (is_on(task)) [[unlikely]]
    tell_ended(worker, task);
}
inline void dropped(Worker& worker, Task& task) noexcept {
  if (is_on(task)) [[unlikely]]
    watcher()->dropped(worker, task);
}
inline void depends(Task& before, Task& task) noexcept {
  if (is_on(task) && is_on(before)) [[unlikely]]
    watcher()->depends(before, task);
}

}  // namespace watch
}  // namespace lares::runtime
