// OpenMP's internal control variables belong to a task. Our tasks run inside the stock runtime's
// implicit ones, so what a task sets is undone at its end, and handed on to its children.
#pragma once

#include "runtime/task.hpp"
#include "runtime/team.hpp"

namespace lares::omp {

/// Called before a task changes a control variable: its end will restore what was before.
void remember_control_variables(runtime::Worker& worker) noexcept;
/// Called where the stock runtime gives the calling thread others: at both ends of a region, and
/// when they are set outside of our teams.
void forget_control_variables() noexcept;
/// A new task starts with its creator's variables. They are the same everywhere in a team as long
/// as none of its threads has set any.
inline void inherit_control_variables(runtime::Worker& worker, runtime::Task& child) noexcept;
/// Around a body. Cheap unless the task has variables of its own.
inline void apply_control_variables(runtime::Task& task) noexcept;
inline void restore_control_variables(runtime::Task& task) noexcept;

void inherit_from(runtime::Worker& worker, runtime::Task& child) noexcept;
void apply_inherited(runtime::Task& task) noexcept;
void restore_saved(runtime::Task& task) noexcept;

/// True once a worker of the team has set variables in this region.
inline bool variables_differ(const runtime::Team& team) noexcept {
  // acquire: the values come with it. A thread sees what it has set itself, and needs no more.
  return team.first_variables.load(std::memory_order_acquire) != nullptr;
}

inline void inherit_control_variables(runtime::Worker& worker, runtime::Task& child) noexcept {
  if (variables_differ(*worker.team)) inherit_from(worker, child);
}
inline void apply_control_variables(runtime::Task& task) noexcept {
  if (task.front_end != nullptr || variables_differ(*task.team)) apply_inherited(task);
}
inline void restore_control_variables(runtime::Task& task) noexcept {
  if (task.front_end != nullptr) restore_saved(task);
}

}  // namespace lares::omp
