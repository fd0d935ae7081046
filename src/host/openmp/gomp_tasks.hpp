// GCC's tasks, for those who look at them from outside.
#pragma once

#include <cstdint>

#include "runtime/task.hpp"

namespace lares::omp::gomp {

/// The address of the task's function, 0 if it is no task of GCC's. For runtime/stall.hpp.
std::uintptr_t task_code(const runtime::Task& task) noexcept;

}  // namespace lares::omp::gomp
