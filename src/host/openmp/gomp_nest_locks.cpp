#include "host/openmp/gomp_nest_locks.hpp"

#include <atomic>
#include <climits>
#include <cstdint>
#include <new>

#include "host/openmp/region.hpp"
#include "runtime/futex.hpp"

namespace lares::omp::nest_locks {

namespace {

/// libgomp's omp_nest_lock_t: three words of 4, 4 and 8 bytes on 64-bit Linux.
struct NestLock {
  std::atomic<std::uint32_t> state;  ///< 0 free, 1 held, 2 held and somebody may sleep; anyone
  std::int32_t count;                ///< how often the owner has set it; the owner
  std::atomic<const void*> owner;    ///< a task, or a thread outside of our teams; the owner writes
};
static_assert(sizeof(NestLock) == 16 && sizeof(void*) == 8);

// Who is asking: the current task, or outside of our teams something of the thread's own.
const void* self() noexcept {
  static thread_local char thread_mark;
  const runtime::Worker* worker = runtime::this_worker();
  return worker != nullptr ? static_cast<const void*>(worker->current) : &thread_mark;
}

NestLock& as_ours(void* lock) noexcept { return *static_cast<NestLock*>(lock); }

// Only the owner can find itself here, so the race with others does not matter.
bool owned(const NestLock& lock) noexcept {
  return lock.owner.load(std::memory_order_relaxed) == self();
}

bool try_take(NestLock& lock) noexcept {
  std::uint32_t free = 0;
  return lock.state.compare_exchange_strong(free, 1, std::memory_order_acquire,
                                            std::memory_order_relaxed);
}

void take(NestLock& lock) noexcept {
  if (try_take(lock)) return;
  while (lock.state.exchange(2, std::memory_order_acquire) != 0) {
    runtime::futex_wait(lock.state, 2, Nanoseconds{1'000'000'000});
  }
}

void give(NestLock& lock) noexcept {
  lock.owner.store(nullptr, std::memory_order_relaxed);
  if (lock.state.exchange(0, std::memory_order_release) == 2) {
    runtime::futex_wake(lock.state, 1);
  }
}

// The current task owns a lock that it has not set yet.
void own(NestLock& lock) noexcept {
  lock.owner.store(self(), std::memory_order_relaxed);
  lock.count = 0;
}

}  // namespace

bool are_ours(Stock& stock) noexcept { return active() && !stock.is_libomp(); }

void init(void* lock) noexcept { new (lock) NestLock{}; }

bool set(void* lock) noexcept {
  NestLock& ours = as_ours(lock);
  const bool is_first = !owned(ours);
  if (is_first) {
    take(ours);
    own(ours);
  }
  ++ours.count;
  return is_first;
}

bool unset(void* lock) noexcept {
  NestLock& ours = as_ours(lock);
  const bool is_last = --ours.count == 0;
  if (is_last) give(ours);
  return is_last;
}

int test(void* lock) noexcept {
  NestLock& ours = as_ours(lock);
  if (!owned(ours)) {
    if (!try_take(ours)) return 0;
    own(ours);
  }
  return ++ours.count;
}

}  // namespace lares::omp::nest_locks
