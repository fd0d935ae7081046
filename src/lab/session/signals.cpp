#include "lab/session/signals.hpp"

#include <unistd.h>

namespace lares::lab {

SignalQueue::SignalQueue() {
  sigset_t fetched;
  sigfillset(&fetched);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS}) {
    sigdelset(&fetched, fault);
  }
  sigprocmask(SIG_BLOCK, &fetched, &before_);
  file_ = File(signalfd(-1, &fetched, SFD_CLOEXEC | SFD_NONBLOCK));
}

SignalQueue::~SignalQueue() {
  // News of our own children and of closed pipes are settled; they must not hit whoever comes next.
  while (next()) {
  }
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

std::optional<signalfd_siginfo> SignalQueue::next() {
  signalfd_siginfo info{};
  if (read(file_.descriptor(), &info, sizeof(info)) != sizeof(info)) return std::nullopt;
  return info;
}

bool is_from_terminal(const signalfd_siginfo& info) noexcept { return info.ssi_code == SI_KERNEL; }

bool asks_to_end(int signal) noexcept {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

}  // namespace lares::lab
