// libgomp's nestable locks belong to a task. It would take all our tasks on a thread for the same
// one, so these locks are made anew, in libgomp's own 16 bytes.
#pragma once

#include "host/openmp/stock.hpp"

namespace lares::omp::nest_locks {

/// libomp's nestable locks belong to threads, which is what our tasks run on: they stay its own.
bool are_ours(Stock& stock) noexcept;

/// `lock` is the program's omp_nest_lock_t.
void init(void* lock) noexcept;
/// True if the current task did not own it before.
bool set(void* lock) noexcept;
/// True if the current task does not own it any longer.
bool unset(void* lock) noexcept;
/// How often the current task has set it, with this time; 0: another task owns it.
int test(void* lock) noexcept;

}  // namespace lares::omp::nest_locks
