// libgomp's nestable locks belong to a task. It would take all our tasks on a thread for the same
// one, so these locks are made anew, in libgomp's own 16 bytes.
#include <atomic>
#include <climits>
#include <cstdint>
#include <new>

#include "host/openmp/region.hpp"
#include "runtime/futex.hpp"

namespace lares::omp {

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

void set(NestLock& lock) noexcept {
  if (!owned(lock)) {
    take(lock);
    lock.owner.store(self(), std::memory_order_relaxed);
    lock.count = 0;
  }
  ++lock.count;
}

void unset(NestLock& lock) noexcept {
  if (--lock.count == 0) give(lock);
}

int test(NestLock& lock) noexcept {
  if (!owned(lock)) {
    if (!try_take(lock)) return 0;
    lock.owner.store(self(), std::memory_order_relaxed);
    lock.count = 0;
  }
  return ++lock.count;
}

// libomp's nestable locks belong to threads, which is what our tasks run on: they stay its own.
bool is_our_team(Stock& stock) noexcept { return active() && !stock.is_libomp(); }

}  // namespace

}  // namespace lares::omp

namespace omp = lares::omp;

// NOLINTBEGIN: the names and types are OpenMP's.
LARES_EXPORT void omp_init_nest_lock(void* lock) {
  LARES_REAL_BY_CALLER(omp_init_nest_lock);
  if (!omp::is_our_team(*stock)) return omp_init_nest_lock_real(lock);
  new (lock) omp::NestLock{};
}
LARES_EXPORT void omp_init_nest_lock_with_hint(void* lock, int hint) {
  LARES_REAL_BY_CALLER(omp_init_nest_lock_with_hint);
  if (!omp::is_our_team(*stock)) return omp_init_nest_lock_with_hint_real(lock, hint);
  new (lock) omp::NestLock{};
}
LARES_EXPORT void omp_destroy_nest_lock(void* lock) {
  LARES_REAL_BY_CALLER(omp_destroy_nest_lock);
  if (!omp::is_our_team(*stock)) omp_destroy_nest_lock_real(lock);
}
LARES_EXPORT void omp_set_nest_lock(void* lock) {
  LARES_REAL_BY_CALLER(omp_set_nest_lock);
  if (!omp::is_our_team(*stock)) return omp_set_nest_lock_real(lock);
  omp::set(omp::as_ours(lock));
}
LARES_EXPORT void omp_unset_nest_lock(void* lock) {
  LARES_REAL_BY_CALLER(omp_unset_nest_lock);
  if (!omp::is_our_team(*stock)) return omp_unset_nest_lock_real(lock);
  omp::unset(omp::as_ours(lock));
}
LARES_EXPORT int omp_test_nest_lock(void* lock) {
  LARES_REAL_BY_CALLER(omp_test_nest_lock);
  if (!omp::is_our_team(*stock)) return omp_test_nest_lock_real(lock);
  return omp::test(omp::as_ours(lock));
}

// gfortran's variable is too small for the lock and holds its address; libgomp makes and frees it,
// zeroed, which is a free lock of ours too.
LARES_EXPORT void omp_set_nest_lock_(void** lock) {
  LARES_REAL_BY_CALLER(omp_set_nest_lock_);
  if (!omp::is_our_team(*stock)) return omp_set_nest_lock__real(lock);
  omp::set(omp::as_ours(*lock));
}
LARES_EXPORT void omp_unset_nest_lock_(void** lock) {
  LARES_REAL_BY_CALLER(omp_unset_nest_lock_);
  if (!omp::is_our_team(*stock)) return omp_unset_nest_lock__real(lock);
  omp::unset(omp::as_ours(*lock));
}
LARES_EXPORT int omp_test_nest_lock_(void** lock) {
  LARES_REAL_BY_CALLER(omp_test_nest_lock_);
  if (!omp::is_our_team(*stock)) return omp_test_nest_lock__real(lock);
  return omp::test(omp::as_ours(*lock));
}
// NOLINTEND
