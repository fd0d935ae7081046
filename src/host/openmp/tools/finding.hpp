// Which tool there is, if any, as the standard looks for it (OpenMP 5.2, 19.2), and when it starts
// and ends.
#pragma once

#include <atomic>

#include "host/openmp/stock.hpp"
#include "host/openmp/tools/ompt_abi.hpp"
#include "runtime/watch.hpp"

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

/// What libomp is told when it looks for a tool.
enum class Taken : int {
  nobody,      ///< there is none, or none that wants to start
  by_other,    ///< there is one, and another runtime of the process has it
  as_it_is,    ///< Lares does not schedule here
  to_pass_on,  ///< we come between
};
/// `tool` is what the tool has answered to its start, in the last two cases.
Taken take_tool_for_libomp(unsigned version, const char* runtime_version,
                           ompt::StartResult** tool) noexcept;
/// The tool that libomp has started is told of tasks of ours from now on.
void watch_libomp() noexcept;

/// Which runtime's teams are watched. Written by who starts the tool, before it watches.
enum class Watched : int { none, libgomp, libomp };
extern std::atomic<Watched> g_watched;
inline bool is_watched_stock(Stock& stock) noexcept {
  // relaxed: whoever asks has seen that there is a watcher.
  const Watched watched = g_watched.load(std::memory_order_relaxed);
  return watched == (stock.is_libomp() ? Watched::libomp : Watched::libgomp);
}

/// True if Lares is to tell a tool of what the program does on this runtime, whether in a region or
/// not; that may be what starts the tool. libomp tells of what Lares does not do.
inline bool tells_of(Stock& stock) noexcept {
  start_tool_if_named(stock);
  return runtime::watch::watcher() != nullptr && !stock.is_libomp() && is_watched_stock(stock);
}

/// The tool's own end, or the process's. Once.
void finish_tool() noexcept;

}  // namespace lares::omp::tools
