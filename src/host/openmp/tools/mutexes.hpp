// The events of what excludes threads: locks, and critical, atomic and ordered constructs. A thread
// that the tool has not heard of is one that the program has started.
#pragma once

#include "host/openmp/stock.hpp"
#include "host/openmp/tools/finding.hpp"
#include "host/openmp/tools/ompt_abi.hpp"
#include "runtime/watch.hpp"

namespace lares::omp::tools {

/// True if the tool is to be told of mutexes of this runtime, which may be what starts it. libomp
/// tells of its own.
inline bool tells_of_mutexes(Stock& stock) noexcept {
  start_tool_if_named(stock);
  return runtime::watch::watcher() != nullptr && !stock.is_libomp() && is_watched_stock(stock);
}

/// `lock` tells it from others; `kind`: lock or nest_lock.
void tell_lock_init(ompt::Mutex kind, unsigned hint, const void* lock,
                    const void* call_site) noexcept;
void tell_lock_destroy(ompt::Mutex kind, const void* lock, const void* call_site) noexcept;

/// Before it is asked for. The kinds that test do not wait.
void wait_for_mutex(ompt::Mutex kind, const void* lock, const void* call_site) noexcept;
void own_mutex(ompt::Mutex kind, const void* lock, const void* call_site) noexcept;
void give_mutex_back(ompt::Mutex kind, const void* lock, const void* call_site) noexcept;

/// The current task sets a nestable lock once more, or unsets it and owns it still.
void own_again(const void* lock, const void* call_site) noexcept;
void own_less(const void* lock, const void* call_site) noexcept;

}  // namespace lares::omp::tools
