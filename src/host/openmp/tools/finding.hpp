// Which tool there is, if any, as the standard looks for it (OpenMP 5.2, 19.2), and when it starts
// and ends.
#pragma once

#include <atomic>

#include "host/openmp/stock.hpp"

namespace lares::omp::tools {

/// Whether the user, or the program, names a tool that has not been started. Called at load.
void look_for_tool() noexcept;

/// True if there was a tool when the library was loaded. libomp starts it by itself.
extern std::atomic<bool> g_is_named;  // written at load
inline bool is_named() noexcept { return g_is_named.load(std::memory_order_relaxed); }

/// Written at load, and by whoever starts the tool.
extern std::atomic<bool> g_may_start;
void start_tool(Stock& stock) noexcept;

/// Before the program's first construct on this runtime that the tool shall be told of.
inline void start_tool_if_named(Stock& stock) noexcept {
  // acquire: who sees that it was started sees what it has asked for.
  if (g_may_start.load(std::memory_order_acquire)) [[unlikely]]
    start_tool(stock);
}

/// The tool's own end, or the process's. Once.
void finish_tool() noexcept;

}  // namespace lares::omp::tools
