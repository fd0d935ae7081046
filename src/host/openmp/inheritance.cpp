// What a bound thread starts, and what the program is told of processors: as without Lares.
// Threads, processes and programs inherit the processors of the thread that makes them, so a thread
// that Lares has bound gets its own back for that moment; and what the program asks and says of a
// thread's processors is about those that the thread has without Lares.
//
// Threads are in births.cpp. Where no thread is bound, each of these is the C library's function
// and one look at t_place. fork() itself needs nothing here: see free_after_fork.
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "host/openmp/binding.hpp"
#include "host/openmp/c_library.hpp"
#include "host/openmp/stock.hpp"

namespace lares::omp {

namespace {

/// Of 0 and the numbers that name the calling thread.
bool is_this_thread(pid_t thread) noexcept {
  return thread == 0 || thread == static_cast<pid_t>(syscall(SYS_gettid));
}

/// What a bound thread is told: `bytes` bytes, as the C library fills them.
void tell(const ProcessorMask& mask, std::size_t bytes, cpu_set_t* set) noexcept {
  std::memset(set, 0, bytes);
  std::memcpy(set, mask.words.data(), std::min(bytes, sizeof(mask.words)));
}

/// The arguments of execl and its like, which end with a null pointer, as a list on the stack.
// NOLINTBEGIN(bugprone-macro-parentheses): names of variables
#define LARES_COLLECT(list, first, words)                                            \
  std::size_t count = 1;                                                             \
  va_start(list, first);                                                             \
  while (va_arg(list, const char*) != nullptr) ++count;                              \
  va_end(list);                                                                      \
  auto** words = static_cast<char**>(__builtin_alloca((count + 1) * sizeof(char*))); \
  words[0] = const_cast<char*>(first);                                               \
  va_start(list, first);                                                             \
  for (std::size_t i = 1; i <= count; ++i) words[i] = va_arg(list, char*)
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace

}  // namespace lares::omp

// NOLINTBEGIN: the names and types are the C library's.

// --- processes

LARES_EXPORT int posix_spawn(pid_t* pid, const char* path,
                             const posix_spawn_file_actions_t* actions,
                             const posix_spawnattr_t* attributes, char* const words[],
                             char* const environment[]) {
  const lares::omp::Unbound unbound;
  return LARES_C_LIBRARY(posix_spawn)(pid, path, actions, attributes, words, environment);
}

LARES_EXPORT int posix_spawnp(pid_t* pid, const char* file,
                              const posix_spawn_file_actions_t* actions,
                              const posix_spawnattr_t* attributes, char* const words[],
                              char* const environment[]) {
  const lares::omp::Unbound unbound;
  return LARES_C_LIBRARY(posix_spawnp)(pid, file, actions, attributes, words, environment);
}

LARES_EXPORT int system(const char* command) {
  const lares::omp::Unbound unbound;
  return LARES_C_LIBRARY(system)(command);
}

LARES_EXPORT FILE* popen(const char* command, const char* mode) {
  const lares::omp::Unbound unbound;
  return LARES_C_LIBRARY(popen)(command, mode);
}

// --- programs. In the child of a vfork all of it happens to the child: nothing is remembered.

LARES_EXPORT int execve(const char* path, char* const words[], char* const environment[]) {
  const lares::omp::Unbound unbound;
  return LARES_C_LIBRARY(execve)(path, words, environment);
}

LARES_EXPORT int execv(const char* path, char* const words[]) {
  return execve(path, words, environ);
}

LARES_EXPORT int execvpe(const char* file, char* const words[], char* const environment[]) {
  const lares::omp::Unbound unbound;
  return LARES_C_LIBRARY(execvpe)(file, words, environment);
}

LARES_EXPORT int execvp(const char* file, char* const words[]) {
  return execvpe(file, words, environ);
}

LARES_EXPORT int fexecve(int file, char* const words[], char* const environment[]) {
  const lares::omp::Unbound unbound;
  return LARES_C_LIBRARY(fexecve)(file, words, environment);
}

LARES_EXPORT int execveat(int folder, const char* path, char* const words[],
                          char* const environment[], int flags) {
  const lares::omp::Unbound unbound;
  return LARES_C_LIBRARY(execveat)(folder, path, words, environment, flags);
}

LARES_EXPORT int execl(const char* path, const char* word, ...) {
  va_list list;
  LARES_COLLECT(list, word, words);
  va_end(list);
  return execve(path, words, environ);
}

LARES_EXPORT int execlp(const char* file, const char* word, ...) {
  va_list list;
  LARES_COLLECT(list, word, words);
  va_end(list);
  return execvpe(file, words, environ);
}

LARES_EXPORT int execle(const char* path, const char* word, ...) {
  va_list list;
  LARES_COLLECT(list, word, words);
  char* const* environment = va_arg(list, char* const*);
  va_end(list);
  return execve(path, words, environment);
}

// --- what the program is told, and what it says

LARES_EXPORT int sched_getaffinity(pid_t thread, size_t bytes, cpu_set_t* set) noexcept {
  const int result = LARES_C_LIBRARY(sched_getaffinity)(thread, bytes, set);
  if (lares::omp::t_place < 0 || result != 0 || !lares::omp::is_this_thread(thread)) return result;
  if (const auto* mask = lares::omp::mask_before_binding()) lares::omp::tell(*mask, bytes, set);
  return result;
}

LARES_EXPORT int pthread_getaffinity_np(pthread_t thread, size_t bytes, cpu_set_t* set) noexcept {
  const int result = LARES_C_LIBRARY(pthread_getaffinity_np)(thread, bytes, set);
  if (lares::omp::t_place < 0 || result != 0 || thread != pthread_self()) return result;
  if (const auto* mask = lares::omp::mask_before_binding()) lares::omp::tell(*mask, bytes, set);
  return result;
}

LARES_EXPORT int sched_setaffinity(pid_t thread, size_t bytes, const cpu_set_t* set) noexcept {
  if (lares::omp::t_place >= 0 && lares::omp::is_this_thread(thread)) lares::omp::bubbles::let_be();
  const int result = LARES_C_LIBRARY(sched_setaffinity)(thread, bytes, set);
  if (result == 0 && lares::omp::t_place >= 0 && lares::omp::is_this_thread(thread)) {
    lares::omp::leave_to_program();
  }
  return result;
}

LARES_EXPORT int pthread_setaffinity_np(pthread_t thread, size_t bytes,
                                        const cpu_set_t* set) noexcept {
  if (lares::omp::t_place >= 0 && thread == pthread_self()) lares::omp::bubbles::let_be();
  const int result = LARES_C_LIBRARY(pthread_setaffinity_np)(thread, bytes, set);
  if (result == 0 && lares::omp::t_place >= 0 && thread == pthread_self()) {
    lares::omp::leave_to_program();
  }
  return result;
}
// NOLINTEND
