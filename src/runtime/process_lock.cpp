#include "runtime/process_lock.hpp"

#include <cstddef>
#include <new>
#include <span>

// The linker's names for the ends of the section that LARES_PROCESS_LOCK fills.
// NOLINTBEGIN
extern "C" {
__attribute__((
    visibility("hidden"))) extern lares::runtime::ProcessLock __start_lares_process_locks[];
__attribute__((
    visibility("hidden"))) extern lares::runtime::ProcessLock __stop_lares_process_locks[];
}
// NOLINTEND

namespace lares::runtime {

namespace {

/// Of fork itself: two threads that fork at once take turns, and the list always has a member.
LARES_PROCESS_LOCK(g_forking);

constexpr std::size_t most_locks = 64;
bool g_held[most_locks];  // by the thread that holds g_forking

std::span<ProcessLock> all_locks() noexcept {
  return {__start_lares_process_locks, __stop_lares_process_locks};
}

bool take_patiently(Spinlock& lock) noexcept {
  constexpr int patience = 10'000;
  for (int tries = 0; tries < patience; ++tries) {
    if (lock.try_lock()) return true;
    sched_yield();
  }
  return false;
}

}  // namespace

void hold_process_locks() noexcept {
  g_forking.lock();
  std::size_t index = 0;
  for (ProcessLock& lock : all_locks()) {
    if (index == most_locks) break;
    g_held[index++] = &lock != &g_forking && take_patiently(lock);
  }
}

void release_process_locks() noexcept {
  std::size_t index = 0;
  for (ProcessLock& lock : all_locks()) {
    if (index == most_locks) break;
    if (g_held[index++]) lock.unlock();
  }
  g_forking.unlock();
}

void renew_process_locks() noexcept {
  for (ProcessLock& lock : all_locks()) new (&lock) ProcessLock;
}

}  // namespace lares::runtime
