// Waiting, and not being interrupted.
#pragma once

#include <pthread.h>
#include <sched.h>

#include <csignal>
#include <ctime>

namespace lares::memory {

/// The thread is not cancelled (pthread_cancel): what it holds, a chunk or the gate, it would hold
/// for ever, and all who wait for it.
class NotCancelled {
 public:
  NotCancelled() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~NotCancelled() { pthread_setcancelstate(before_, nullptr); }
  NotCancelled(const NotCancelled&) = delete;
  NotCancelled& operator=(const NotCancelled&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

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

 private:
  const NotCancelled whole_;
  sigset_t before_;
};

/// Waiting for another thread that is about to finish: politely, then asleep for moments. Whoever
/// yields without end keeps a processor busy, and where Linux 6.18 had many of those, a thread that
/// could run was not let run for half a minute.
class Patience {
 public:
  void wait() noexcept {
    constexpr int yields = 16;
    if (tries_ < yields) {
      ++tries_;
      sched_yield();
      return;
    }
    const timespec moment{0, 20'000};
    nanosleep(&moment, nullptr);
  }

 private:
  int tries_ = 0;
};

}  // namespace lares::memory
