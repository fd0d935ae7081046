// What a bound thread starts, and what the program is told of processors: as without Lares.
// Threads, processes and programs inherit the processors of the thread that makes them, so a thread
// that Lares has bound gets its own back for that moment; and what the program asks and says of a
// thread's processors is about those that the thread has without Lares.
//
// Where no thread is bound, each of these is the C library's function and one look at t_place.
// fork() itself needs nothing here: see free_after_fork.
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "host/openmp/binding.hpp"
#include "host/openmp/stock.hpp"

namespace lares::omp {

namespace {

/// Every C library function that stands in front of here. X(name).
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

/// The C library's own. Looked up when the library is loaded, since exec may be called where dlsym
/// may not (after a vfork, in a signal handler); before that, by whoever calls first.
struct Originals {
#define LARES_POINTER(name) decltype(&::name) name = nullptr;  // NOLINT: a name of a member
  LARES_C_FUNCTIONS(LARES_POINTER)
#undef LARES_POINTER
};
constinit Originals g_originals;

template <class Function>
void look_up(Function*& pointer, const char* name) noexcept {
  pointer = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

__attribute__((constructor)) void look_all_up() {
#define LARES_LOOK_UP(name) look_up(g_originals.name, #name);
  LARES_C_FUNCTIONS(LARES_LOOK_UP)
#undef LARES_LOOK_UP
}

template <class Function>
Function* original(Function*& pointer, const char* name) noexcept {
  if (pointer == nullptr) [[unlikely]]
    look_up(pointer, name);
  return pointer;
}

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

/// A thread that is made where it shall run: to bind it afterwards, and its maker twice, would take
/// as long as the rest of a short region.
struct Birth {
  void* (*start)(void*);
  void* argument;
  int place;
  ProcessorMask before;
};

void* begin(void* made) {
  auto* const birth = static_cast<Birth*>(made);
  begin_bound(birth->place, birth->before);
  void* (*const start)(void*) = birth->start;
  void* const argument = birth->argument;
  std::free(birth);
  return start(argument);
}

/// `to` is as after pthread_attr_init. False if `from` says something that cannot be asked, or
/// where its threads run.
bool copy_attributes(const pthread_attr_t* from, pthread_attr_t* to) noexcept {
  if (from == nullptr) return true;
  int detached = 0;
  int inherits = 0;
  int policy = 0;
  int scope = 0;
  sched_param priority{};
  std::size_t guard = 0;
  void* stack = nullptr;
  std::size_t bytes = 0;
  pthread_attr_getdetachstate(from, &detached);
  pthread_attr_getinheritsched(from, &inherits);
  pthread_attr_getschedpolicy(from, &policy);
  pthread_attr_getschedparam(from, &priority);
  pthread_attr_getscope(from, &scope);
  pthread_attr_getguardsize(from, &guard);
  pthread_attr_getstack(from, &stack, &bytes);
  cpu_set_t cpus;
  sigset_t signals;
  const bool whole = pthread_attr_getaffinity_np(from, sizeof(cpus), &cpus) == 0 &&
                     CPU_COUNT(&cpus) == CPU_SETSIZE;  // what it gives if nothing was said
  const bool has_stack = reinterpret_cast<std::uintptr_t>(stack) + bytes != 0;
  if (!whole || has_stack || inherits != PTHREAD_INHERIT_SCHED) return false;
  if (pthread_attr_getsigmask_np(from, &signals) != PTHREAD_ATTR_NO_SIGMASK_NP) return false;
  return pthread_attr_setdetachstate(to, detached) == 0 && pthread_attr_setscope(to, scope) == 0 &&
         pthread_attr_setguardsize(to, guard) == 0 &&
         (bytes == 0 || pthread_attr_setstacksize(to, bytes) == 0);
}

/// Makes the next thread of a team that is about to start. False: nothing was made.
bool make_bound(TeamBinding& team, pthread_t* thread, const pthread_attr_t* attributes,
                void* (*start)(void*), void* argument) noexcept {
  const std::optional<Birthplace> where = team.next_birthplace();
  pthread_attr_t bound;
  if (!where || pthread_attr_init(&bound) != 0) return false;
  bool made = false;
  if (copy_attributes(attributes, &bound)) {
    const ProcessorMask mask = mask_of_place(where->place);
    const std::size_t bytes = where->before->bytes != 0 ? where->before->bytes : mask.bytes;
    auto* const birth = static_cast<Birth*>(std::malloc(sizeof(Birth)));
    if (birth != nullptr && where->before->contains(mask)) {
      *birth = {start, argument, where->place, *where->before};
      made =
          pthread_attr_setaffinity_np(&bound, bytes,
                                      reinterpret_cast<const cpu_set_t*>(mask.words.data())) == 0 &&
          original(g_originals.pthread_create, "pthread_create")(thread, &bound, begin, birth) == 0;
    }
    if (!made) std::free(birth);
  }
  pthread_attr_destroy(&bound);
  return made;
}

}  // namespace

}  // namespace lares::omp

// NOLINTBEGIN: the names and types are the C library's.
#define LARES_C_LIBRARY(name) lares::omp::original(lares::omp::g_originals.name, #name)

// --- threads

LARES_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                void* (*start)(void*), void* argument) {
  if (lares::omp::t_births != nullptr) [[unlikely]] {
    if (lares::omp::make_bound(*lares::omp::t_births, thread, attributes, start, argument))
      return 0;
  }
  const lares::omp::Unbound unbound;
  return LARES_C_LIBRARY(pthread_create)(thread, attributes, start, argument);
}

LARES_EXPORT int thrd_create(thrd_t* thread, thrd_start_t start, void* argument) {
  const lares::omp::Unbound unbound;
  return LARES_C_LIBRARY(thrd_create)(thread, start, argument);
}

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
