// Counts, construct by construct, how tasks' data was located and whether tasks met it at home:
// `lares run --explain`.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/explain_format.hpp"
#include "runtime/task.hpp"

namespace lares::runtime::explain {

/// The body of a task; never 0.
using CodeOf = std::uintptr_t (*)(const Task& task) noexcept;

extern std::atomic<ExplainFile*> g_file;  ///< null: nobody has asked

/// Relaxed: whoever sees the file later misses a few tasks.
inline bool is_on() noexcept { return g_file.load(std::memory_order_relaxed) != nullptr; }

/// Before the first region. The file stays mapped as long as the process lives.
void begin(ExplainFile& file, CodeOf code_of) noexcept;

/// A task begins on a worker of that domain. Any thread, while is_on(). O(1) but for the first task
/// of a construct.
void ran(const Task& task, DomainId domain) noexcept;

/// In the child of a fork: the counts are the parent's.
inline void forget_after_fork() noexcept { g_file.store(nullptr, std::memory_order_relaxed); }

}  // namespace lares::runtime::explain
