// Inside the engine and the front ends' hottest entry points: running a task at once, as a part of
// what its creator does. Inline, since a call costs such a task as much as a fifth of all the rest.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/ancestry.hpp"
#include "runtime/engine.hpp"
#include "runtime/execution.hpp"
#include "runtime/record.hpp"
#include "runtime/team.hpp"
#include "runtime/watch.hpp"

namespace lares::runtime {

namespace at_once {

/// It has children that outlive it, and they need it and its parent.
void complete_unseen(Worker& worker, Task& task) noexcept;

inline std::uint16_t undeferred_flags(std::uint16_t flags) noexcept {
  return static_cast<std::uint16_t>((flags | task_flag::undeferred) & ~task_flag::untied);
}

/// Runs a task that nobody knows of yet. Answers true if it can go as it came: without a trace.
template <bool recorded>
[[gnu::always_inline]] inline bool run_unseen(Worker& worker, Task& task,
                                              void (*run)(Task&, Worker&)) noexcept {
  Task* const parent = worker.current;
  Task* const constraint = worker.constraint;
  task.runner.store(&worker, std::memory_order_relaxed);
  worker.current = &task;
  worker.constraint = &task;
  Team& team = *worker.team;
  if (!team.inlined_seen.load(std::memory_order_relaxed)) {
    team.inlined_seen.store(true, std::memory_order_relaxed);
  }
  worker.counters->inlined.add(1);
  worker.counters->tasks[static_cast<std::size_t>(Locality::local)].add(1);
  if constexpr (recorded) {
    record::begun(worker, task, Locality::local);
    watch::begun(worker, task);
  }
  if (!team.cancellable || task.has(task_flag::must_run) || !is_dropped(task)) {
    run(task, worker);
  } else if constexpr (recorded) {
    watch::dropped(worker, task);
  }
  if constexpr (recorded) {
    record::ended(worker);
    watch::ended(worker, task);
  }
  worker.current = parent;
  worker.constraint = constraint;
  // acquire: what children on other threads did to the descriptor comes before its reuse.
  return task.local_children == 0 && task.table == nullptr &&
         task.holders.load(std::memory_order_acquire) == Task::alive;
}

/// As new_task() makes one: most of it is as the last one has left it.
inline Task& take_spare(Worker& worker) noexcept {
  Task* const task = worker.spares;
  if (task == nullptr) [[unlikely]]
    return *new_task(worker, 0);
  worker.spares = task->next;
  Task& parent = *worker.current;
  become_child(*task, parent);
  task->group = parent.open_group;
  task->open_group = parent.open_group;
  return *task;
}

/// Runs `run` at once as a task of its own, which neither waits nor is waited for: the cheapest way
/// for a task without dependences, event or priority. `flags` as in task_flag; `undeferred` tells a
/// task that the program wants run at once from one that might as well be left for later. Not
/// `recorded`: not where the worker is observed.
template <bool recorded>
[[gnu::always_inline]] inline void run_spare(Worker& worker, void (*run)(Task&, Worker&),
                                             void* function, void* data, std::uint16_t flags,
                                             std::span<const Dependence> dependences) noexcept {
  Task& task = take_spare(worker);
  task.run = run;
  task.flags = undeferred_flags(flags);
  task.host.call = {function, data};
  if constexpr (recorded) {
    const bool included = (flags & task_flag::undeferred) != 0;
    record::created(worker, task, dependences, included ? record_flag::undeferred : 0);
    watch::created(worker, task, dependences, included);
  }
  if (run_unseen<recorded>(worker, task, run)) [[likely]] {
    task.next = worker.spares;
    worker.spares = &task;
    if constexpr (recorded) record::resumed_at_end(worker);
  } else {
    complete_unseen(worker, task);
    if constexpr (recorded) record::resumed(worker);
  }
}

}  // namespace at_once
}  // namespace lares::runtime
