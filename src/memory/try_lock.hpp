// A lock that is only ever tried: who does not get it does without.
#pragma once

#include <atomic>

#include "base/disorder.hpp"

namespace lares::memory {

/// For upkeep that any thread may do and none must wait for. After a fork in a moment when it was
/// held, the child never gets it: its upkeep stops, and nothing hangs.
class TryLock {
 public:
  /// Holds the lock, or not, until the end of its life.
  class Guard {
   public:
    explicit Guard(TryLock& lock) noexcept
        // acquire: pairs with the release below, so the last holder's work is seen.
        : lock_(disorder::fails(disorder::Point::upkeep) ||
                        lock.taken_.exchange(true, std::memory_order_acquire)
                    ? nullptr
                    : &lock) {}
    ~Guard() {
      // release: the next holder sees this one's work.
      if (lock_ != nullptr) lock_->taken_.store(false, std::memory_order_release);
    }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    explicit operator bool() const noexcept { return lock_ != nullptr; }

   private:
    TryLock* lock_;
  };

 private:
  std::atomic<bool> taken_{false};  ///< any thread
};

}  // namespace lares::memory
