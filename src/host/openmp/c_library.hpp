// The C library's own functions, of those that this library defines as well.
#pragma once

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <threads.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace lares::omp::c_library {

/// Every one that stands in front of here. X(name).
#define LARES_C_FUNCTIONS(X) \
  X(pthread_create)          \
  X(thrd_create)             \
  X(posix_spawn)             \
  X(posix_spawnp)            \
  X(system)                  \
  X(popen)                   \
  X(execve)                  \
  X(execvpe)                 \
  X(fexecve)                 \
  X(execveat)                \
  X(sched_getaffinity)       \
  X(sched_setaffinity)       \
  X(pthread_getaffinity_np)  \
  X(pthread_setaffinity_np)

/// Looked up when the library is loaded, since exec may be called where dlsym may not (after a
/// vfork, in a signal handler); before that, by whoever calls first.
struct Originals {
#define LARES_POINTER(name) decltype(&::name) name = nullptr;  // NOLINT: a name of a member
  LARES_C_FUNCTIONS(LARES_POINTER)
#undef LARES_POINTER
};
extern Originals g_originals;

template <class Function>
void look_up(Function*& pointer, const char* name) noexcept {
  pointer = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

template <class Function>
Function* original(Function*& pointer, const char* name) noexcept {
  if (pointer == nullptr) [[unlikely]]
    look_up(pointer, name);
  return pointer;
}

/// The C library's function of that name.
#define LARES_C_LIBRARY(name) \
  lares::omp::c_library::original(lares::omp::c_library::g_originals.name, #name)

}  // namespace lares::omp::c_library
