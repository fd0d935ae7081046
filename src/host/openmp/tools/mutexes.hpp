// The events of what excludes threads: locks, and critical, atomic and ordered constructs. A thread
// that the tool has not heard of is one that the program has started.
#pragma once

#include "host/openmp/tools/ompt_abi.hpp"

namespace lares::omp::tools {

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
