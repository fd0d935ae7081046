// OpenMP's internal control variables belong to a task. Our tasks run inside the stock runtime's
// implicit ones, so what a task sets is undone at its end, and handed on to its children.
#pragma once

#include <atomic>

#include "runtime/task.hpp"
#include "runtime/team.hpp"

namespace lares::omp {

/// Called before a task changes a control variable: its end will restore what was before.
void remember_control_variables(runtime::Worker& worker) noexcept;
/// A new task starts with its creator's variables. Cheap as long as no thread has set any inside a
/// region: they are the same everywhere then.
inline void inherit_control_variables(runtime::Worker& worker, runtime::Task& child) noexcept;
/// Around a body. Cheap unless the task has variables of its own.
inline void apply_control_variables(runtime::Task& task) noexcept;
inline void restore_control_variables(runtime::Task& task) noexcept;

/// Set for good once a thread inside a region has set a variable: from then on a task takes its
/// creator's along, since the thread that runs it may have others.
extern std::atomic<bool> threads_differ;

/// True once any thread inside a region has set a variable.
inline bool variables_differ() noexcept { return threads_differ.load(std::memory_order_relaxed); }

void inherit_from(runtime::Worker& worker, runtime::Task& child) noexcept;
void apply_inherited(runtime::Task& task) noexcept;
void restore_saved(runtime::Task& task) noexcept;

inline void inherit_control_variables(runtime::Worker& worker, runtime::Task& child) noexcept {
  if (threads_differ.load(std::memory_order_relaxed)) inherit_from(worker, child);
}
inline void apply_control_variables(runtime::Task& task) noexcept {
  if (task.front_end != nullptr) apply_inherited(task);
}
inline void restore_control_variables(runtime::Task& task) noexcept {
  if (task.front_end != nullptr) restore_saved(task);
}

}  // namespace lares::omp
