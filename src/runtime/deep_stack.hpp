// Tasks that nest without end: when a thread's stack runs low, the next body runs on a fresh one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/disorder.hpp"
#include "runtime/task.hpp"
#include "runtime/team.hpp"
#include "runtime/thread_state.hpp"

namespace lares::runtime {

/// How much of a stack must be left for a body's own frames: a thread with a small stack expects
/// small ones.
constexpr std::uintptr_t stack_margin(std::size_t stack_bytes) noexcept {
  constexpr std::uintptr_t most = 256UL * 1024;
  return stack_bytes / 4 < most ? stack_bytes / 4 : most;
}

/// Calls the task's body, on a fresh stack if this one is low. Fresh stacks are kept by the thread
/// for its next deep recursion.
inline void run_body(Worker& worker, Task& task) noexcept;

void run_on_fresh_stack(Worker& worker, Task& task) noexcept;

inline void run_body(Worker& worker, Task& task) noexcept {
  if (!stack_is_low(*worker.thread)) {
    task.run(task, worker);
  } else {
    run_on_fresh_stack(worker, task);
  }
}

}  // namespace lares::runtime
