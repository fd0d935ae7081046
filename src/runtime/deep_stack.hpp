// Tasks that nest without end: when a thread's stack runs low, the next body runs on a fresh one.
#pragma once

#include "runtime/task.hpp"
#include "runtime/thread_state.hpp"

namespace lares::runtime {

/// True if little of the calling thread's current stack is left; then nothing should be run on it
/// that could as well be left for later.
bool stack_is_low(const ThreadState& self) noexcept;

/// Calls the task's body, on a fresh stack if this one is low. Fresh stacks are kept by the thread
/// for its next deep recursion.
void run_body(Worker& worker, Task& task) noexcept;

}  // namespace lares::runtime
