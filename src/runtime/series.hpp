// Tasks of one creator that name no data, at home where their place in the series is
// (decide/series.hpp), or what they depend on by name (decide/names.hpp).
#pragma once

#include <cstdint>
#include <span>

#include "runtime/engine.hpp"
#include "runtime/shared_out.hpp"
#include "runtime/team.hpp"

namespace lares::runtime {

/// True if what the current task makes next may belong somewhere although it does not say so: a
/// thread of the region makes it, in a series, or it may have a pointer into memory that tasks
/// share out; and sending tasks to their data makes sense. Tiny ones are best run by their creator
/// (decide/place.hpp).
inline bool may_be_in_series(const Worker& worker) noexcept {
  return worker.makes_series && (worker.current == &worker.implicit_task || SharedOut::is_on());
}

/// True if something may be known of the task that the current one makes next.
inline bool may_be_known(const Worker& worker) noexcept {
  return may_be_in_series(worker) || worker.says_group_data;
}

/// What is known of the next task of the construct at `code`.
struct InSeries {
  DomainId home;                      ///< invalid if nothing is
  bool held = false;                  ///< its series is to be complete before it is
  bool begins = false;                ///< it is the first of what has been made before
  Located located = Located::series;  ///< by what `home` is known
  Branches::Kind kind = 0;            ///< where memory is shared out
  bool is_branch = false;             ///< it will make tasks
  Branches::Name branch = 0;          ///< if it will
  [[nodiscard]] bool known() const noexcept { return home.valid() || held; }
};

/// The whole words of a task's arguments; none if they are not aligned as pointers are.
inline std::span<const std::uintptr_t> words_of(const void* arguments, std::size_t bytes) noexcept {
  if (reinterpret_cast<std::uintptr_t>(arguments) % alignof(std::uintptr_t) != 0) return {};
  return {static_cast<const std::uintptr_t*>(arguments), bytes / sizeof(std::uintptr_t)};
}

/// Counts the next task of the construct. Only where may_be_in_series(). `words`: of its arguments.
InSeries next_in_series(Worker& worker, std::uintptr_t code,
                        std::span<const std::uintptr_t> words) noexcept;

/// Takes a new task of which next_in_series() knew something. The task may be gone afterwards.
void submit_in_series(Worker& worker, Task& task, InSeries known) noexcept;

/// As submit(), where may_be_known().
void submit_perhaps_known(Worker& worker, Task& task, std::uintptr_t code,
                          std::span<const std::uintptr_t> words,
                          std::span<const Dependence> dependences) noexcept;

/// As submit(), for a task of the construct at `code` with these words among its arguments: it may
/// belong to a series, write what has a name, or use what is said of its group.
inline void submit_from(Worker& worker, Task& task, std::uintptr_t code,
                        std::span<const std::uintptr_t> words,
                        std::span<const Dependence> dependences) noexcept {
  if (!may_be_known(worker)) return submit(worker, task, dependences);
  submit_perhaps_known(worker, task, code, words, dependences);
}

/// Takes a new task that is ready and was to be held (task_flag::held).
void hold(Worker& worker, Task& task) noexcept;

/// Gives the tasks that the worker holds to their domains: their number is known now, as well as it
/// ever will be. Before the worker waits, or does anything else but make tasks.
void release_held_tasks(Worker& worker) noexcept;
inline void release_held(Worker& worker) noexcept {
  if (worker.hold.count() != 0) [[unlikely]]
    release_held_tasks(worker);
}

/// The worker has waited for what it made: what comes next begins new series.
void end_round_of_series(Worker& worker) noexcept;
/// Whether that is anything to be done.
inline bool has_round_of_series(const Worker& worker) noexcept {
  return worker.made_series && worker.current == &worker.implicit_task;
}
inline void end_series_round(Worker& worker) noexcept {
  if (has_round_of_series(worker)) [[unlikely]]
    end_round_of_series(worker);
}

/// The worker makes tasks that wait for no others and have homes: see decide::Seeker.
inline void go_on(Worker& worker) noexcept {
  if (worker.goes_on) return;
  worker.goes_on = true;
  // relaxed: decides who takes what, nothing else.
  worker.team->goes_on.store(true, std::memory_order_relaxed);
}
void stop_going_on_now(Worker& worker) noexcept;
/// It begins to wait for them, if it has made some.
inline void stop_going_on(Worker& worker) noexcept {
  if (worker.goes_on) [[unlikely]]
    stop_going_on_now(worker);
}

/// Forgets who has made tasks since the last barrier. By whoever opens it.
inline void forget_creators(Team& team) noexcept {
  if (team.creator_changes.load(std::memory_order_relaxed) == 0) return;
  team.creator_changes.store(0, std::memory_order_relaxed);
  team.creator.store(0, std::memory_order_relaxed);
}

}  // namespace lares::runtime
