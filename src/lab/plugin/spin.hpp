// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
// Waiting for a lock that is held for some nanoseconds.
#pragma once

#include <sched.h>

#include <atomic>

namespace lares::lab::counting {

/// Spins a little, then lets others run: with more vCPUs than the host has cores, the holder may be
/// waiting for this very core.
class Backoff {
 public:
  void wait() noexcept {
    if (++rounds_ > spins) sched_yield();
  }

 private:
  static constexpr int spins = 64;
  int rounds_ = 0;
};

/// A lock of one byte, for std::lock_guard.
class SpinLock {
 public:
  void lock() noexcept {
    Backoff backoff;
    while (flag_.test_and_set(std::memory_order_acquire)) backoff.wait();
  }
  void unlock() noexcept { flag_.clear(std::memory_order_release); }

 private:
  std::atomic_flag flag_ = ATOMIC_FLAG_INIT;
};

}  // namespace lares::lab::counting
