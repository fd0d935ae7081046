#include "lab/image/signals.hpp"

namespace lares::lab {
namespace {

constexpr int held[] = {SIGINT, SIGTERM, SIGHUP};

sigset_t held_set() noexcept {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : held) sigaddset(&set, signal);
  return set;
}

}  // namespace

HeldSignals::HeldSignals() noexcept {
  const sigset_t set = held_set();
  pthread_sigmask(SIG_BLOCK, &set, &before_);
}

HeldSignals::~HeldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

bool HeldSignals::any_waiting() noexcept {
  sigset_t waiting;
  if (sigpending(&waiting) != 0) return false;
  for (const int signal : held) {
    if (sigismember(&waiting, signal) == 1) return true;
  }
  return false;
}

void HeldSignals::unblock_all() noexcept {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

}  // namespace lares::lab
