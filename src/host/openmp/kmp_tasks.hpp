// Clang's tasks as the engine's: the compiler's part lies right behind the engine's descriptor.
#pragma once

#include <cstdint>
#include <span>

#include "host/openmp/kmp_abi.hpp"
#include "runtime/engine.hpp"

namespace lares::omp::kmp {

inline runtime::Task& task_of(CompilerTask& made) noexcept {
  return *(reinterpret_cast<runtime::Task*>(&made) - 1);
}
inline CompilerTask& compiler_task(runtime::Task& task) noexcept {
  return *static_cast<CompilerTask*>(task.payload());
}

/// A new child of the current task; the compiler fills in the rest.
CompilerTask* make_task(runtime::Worker& worker, std::uint32_t bits, std::size_t size,
                        std::size_t shareds, TaskEntry routine) noexcept;
/// A copy of a task that was not submitted, for one piece of a loop.
CompilerTask* copy_task(runtime::Worker& worker, CompilerTask& pattern) noexcept;
/// Notes that somebody else will complete the task (__kmpc_proxy_task_completed). Thread safe.
void remember_proxy(const CompilerTask& made) noexcept;
/// The address of the task's routine, 0 if it is no task of Clang's. For runtime/stall.hpp.
std::uintptr_t task_code(const runtime::Task& task) noexcept;
/// Destroys the private variables of a task whose last part has ended, or that will never start.
void run_destructors(runtime::Task& task, std::int32_t gtid);
/// Gives a task back that was never submitted. Runs its destructors.
void discard(runtime::Worker& worker, CompilerTask& pattern);

/// Takes the task; for the task that runs: its next part. It may be gone when this returns.
void submit(runtime::Worker& worker, CompilerTask& made,
            std::span<const runtime::Dependence> dependences);
/// Runs it before returning.
void run_now(runtime::Worker& worker, CompilerTask& made,
             std::span<const runtime::Dependence> dependences);

}  // namespace lares::omp::kmp
