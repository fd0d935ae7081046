// Threads of Lares inside of the program.
#pragma once

#include <pthread.h>

#include <span>

#include "base/ids.hpp"

namespace lares::memory {

/// Starts one with all signals blocked, since those are the program's and for its own threads, and
/// a small stack; on one of the processors `near`, if there are any that it may use. 0 or an errno:
/// a program with much thread-local data may leave no room on such a stack. Thread safe.
int start_helper_thread(pthread_t& thread, void* (*routine)(void*), void* argument,
                        std::span<const OsCpu> near = {}) noexcept;

}  // namespace lares::memory
