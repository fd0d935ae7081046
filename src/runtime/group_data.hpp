// Memory that the tasks of a taskgroup use, as the program says: a group goes to its data as a
// bubble does (Broquedis et al. 2010, 4.1.1), task by task.
#pragma once

#include <cstdint>

#include "runtime/engine.hpp"
#include "runtime/team.hpp"

namespace lares::runtime {

/// The group that the current task has opened last, or nullptr: what it makes now is in it. A task
/// whose creator had a group open is in that group, and has not opened it.
inline Taskgroup* own_group(const Worker& worker) noexcept {
  Taskgroup* const innermost = worker.current->open_group;
  return innermost != worker.current->group ? innermost : nullptr;
}

/// The tasks that the current task makes from now on in its innermost group use this memory, until
/// it says another, as if each had an `affinity` clause; with 0 bytes no longer. False if it has no
/// group open.
inline bool set_group_data(Worker& worker, std::uintptr_t address, Bytes bytes) noexcept {
  Taskgroup* const group = own_group(worker);
  if (group == nullptr) return false;
  group->data = {address, bytes, policy::AccessMode::affinity};
  worker.says_group_data = true;
  return true;
}

inline bool has_group_data(const Worker& worker) noexcept {
  if (!worker.says_group_data) return false;
  const Taskgroup* const group = own_group(worker);
  return group != nullptr && group->data.bytes.count != 0;
}

/// Gives a new task its group's data, if there is any and the task has no `affinity` of its own.
inline void give_group_data(Worker& worker, Task& task) noexcept {
  if (task.access_count != 0 || !has_group_data(worker)) return;
  reserve_accesses(task, 1)[0] = own_group(worker)->data;
}

}  // namespace lares::runtime
