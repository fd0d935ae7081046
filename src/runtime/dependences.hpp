// Which task waits for which: OpenMP's dependences among the children of one task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/engine.hpp"
#include "runtime/task.hpp"

namespace lares::runtime {

/// A set of mutexinoutset tasks' common lock. See exclusion.hpp.
struct ExclusiveLock;

/// What the next task that names an address has to wait for. Only the thread that runs the parent
/// touches it.
struct DependEntry {
  struct Member {
    Task* task;
    Member* next;
  };
  std::uintptr_t address = 0;
  Task* last_out = nullptr;        ///< the last task that wrote alone
  Member* last_set = nullptr;      ///< tasks since then that may run side by side
  Member* previous_set = nullptr;  ///< those that last_set's members wait for
  DependKind set_kind = DependKind::in;
  std::uint32_t set_size = 0;
  std::uint32_t prune_at = 0;     ///< when last_set has this size, completed members are dropped
  ExclusiveLock* lock = nullptr;  ///< of the mutexinoutset in last_set
  bool used = false;
};

/// Children of one task by address. Open addressing; completed tasks are dropped when it grows, so
/// its size follows the number of live addresses.
struct DependTable {
  DependEntry* entries = nullptr;
  std::size_t capacity = 0;  ///< power of two
  std::size_t count = 0;
  Task* base_out = nullptr;  ///< the last omp_all_memory task: unseen addresses wait for it
};

/// Links `task` behind the earlier children of `worker.current` that `dependences` name, and enters
/// it for later ones. Returns true if nothing is left to wait for; otherwise the task becomes ready
/// (runtime::became_ready) on the thread that completes its last predecessor.
bool link_dependences(Worker& worker, Task& task, std::span<const Dependence> dependences) noexcept;

/// As above, but later tasks do not see `waiter` (taskwait depend).
bool link_waiter(Worker& worker, Task& waiter, std::span<const Dependence> dependences) noexcept;

/// Forgets all children of `parent`. Called by the thread that runs, or just completed, it.
void drop_table(ThreadState& self, Task& parent) noexcept;

/// Closes the successor list of a completed task and releases each. Any thread.
void release_successors(Worker* worker, Task& task) noexcept;

}  // namespace lares::runtime
