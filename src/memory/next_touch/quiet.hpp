// The moment in which areas may be marked and taken out.
#pragma once

#include <sched.h>

#include <csignal>

#include "memory/next_touch/next_touch.hpp"

namespace lares::memory {

/// All signals are blocked: a handler that touched a marked page would wait for its own thread.
class SignalsBlocked {
 public:
  SignalsBlocked() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  [[nodiscard]] const sigset_t& before() const noexcept { return before_; }

 private:
  sigset_t before_;
};

/// Holds the lock, and no message that was taken is still to be told.
class NextTouch::Quiet {
 public:
  explicit Quiet(NextTouch& owner) noexcept : owner_(owner) { enter(owner); }
  ~Quiet() { owner_.lock_.unlock(); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

  static void enter(NextTouch& owner) noexcept {
    for (;;) {
      owner.lock_.lock();
      if (!owner.busy()) return;
      owner.lock_.unlock();
      sched_yield();
    }
  }

 private:
  SignalsBlocked blocked_;
  NextTouch& owner_;
};

}  // namespace lares::memory
