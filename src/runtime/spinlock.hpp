// A lock for a few instructions: test-and-test-and-set with back-off, yields when it takes long.
#pragma once

#include <sched.h>

#include <atomic>

#include "base/disorder.hpp"

namespace lares::runtime {

/// Tells the processor that this is a spin loop.
inline void relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield" ::: "memory");
#endif
}

/// Lets others have the processor.
inline void give_way() noexcept {
  if (!disorder::gives_way()) sched_yield();
}

/// Waits for what comes soon unless somebody else needs the processor: with more threads than cores
/// that may be who makes `done()` true.
template <class Done>
void spin_until(Done done) noexcept {
  for (int spins = 0; !done(); ++spins) {
    if (disorder::gives_way()) continue;
    if (spins < 256) {
      relax();
    } else {
      sched_yield();
    }
  }
}

/// Satisfies Lockable. The holder never sleeps.
class Spinlock {
 public:
  void lock() noexcept {
    disorder::pause(disorder::Point::locking);
    spin_until([this] { return try_lock(); });
    disorder::pause(disorder::Point::locked);
  }
  bool try_lock() noexcept {
    // acquire: the critical section must not move before it; the relaxed look first keeps the
    // cache line shared while another thread holds the lock.
    return !held_.load(std::memory_order_relaxed) &&
           !held_.exchange(true, std::memory_order_acquire);
  }
  void unlock() noexcept { held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> held_{false};
};

}  // namespace lares::runtime
