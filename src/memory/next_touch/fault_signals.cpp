#include "memory/next_touch/fault_signals.hpp"

#include <pthread.h>
#include <ucontext.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>

namespace lares::memory {
namespace {

struct Client {
  std::atomic<void*> self{nullptr};  ///< null: free; written last, so the rest is complete
  OnFault on_fault = nullptr;
};

/// What a signal leads to. Written by watch_faults(), read in handlers.
struct Line {
  static constexpr std::size_t most = 8;
  std::array<Client, most> clients;
  /// The program's own actions, the latest last; none is ever changed once `count` has passed it.
  std::array<struct sigaction, most> foreign{};
  std::atomic<std::size_t> count{0};
};

Line segv_line;
Line bus_line;

Line& line_of(int signal) noexcept { return signal == SIGBUS ? bus_line : segv_line; }

/// Does what the kernel would have done without us.
void pass_on(int signal, siginfo_t* info, void* context) noexcept {
  Line& line = line_of(signal);
  // acquire: the action was written before its count.
  const std::size_t count = line.count.load(std::memory_order_acquire);
  struct sigaction action{};
  if (count > 0) action = line.foreign[count - 1];
  const bool plain = (action.sa_flags & SA_SIGINFO) == 0;
  const bool sent = info->si_code <= 0;
  if (plain && action.sa_handler == SIG_IGN && sent) return;
  if (plain && (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN)) {
    // The access is repeated and ends the program, with the core dump where it belongs.
    struct sigaction standard{};
    standard.sa_handler = SIG_DFL;
    sigaction(signal, &standard, nullptr);
    if (sent) raise(signal);
    return;
  }
  sigset_t mask = static_cast<ucontext_t*>(context)->uc_sigmask;
  for (int other = 1; other < NSIG; ++other) {
    if (sigismember(&action.sa_mask, other) == 1) sigaddset(&mask, other);
  }
  if ((action.sa_flags & SA_NODEFER) == 0) sigaddset(&mask, signal);
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  if (plain) {
    action.sa_handler(signal);
  } else {
    action.sa_sigaction(signal, info, context);
  }
}

bool known_to_a_client(int signal, const siginfo_t* info) noexcept {
  const bool fault = signal == SIGBUS ? info->si_code == BUS_ADRERR : info->si_code == SEGV_ACCERR;
  if (!fault) return false;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (Client& client : line_of(signal).clients) {
    // acquire: pairs with the release in watch_faults().
    void* const self = client.self.load(std::memory_order_acquire);
    if (self != nullptr && client.on_fault(self, signal, address)) return true;
  }
  return false;
}

void on_signal(int signal, siginfo_t* info, void* context) {
  const int program_errno = errno;
  if (!known_to_a_client(signal, info)) pass_on(signal, info, context);
  errno = program_errno;
}

int take_signal(int signal, Line& line) noexcept {
  struct sigaction now{};
  if (sigaction(signal, nullptr, &now) != 0) return errno;
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == &on_signal) return 0;
  const std::size_t count = line.count.load(std::memory_order_relaxed);
  if (count == Line::most) return ENOSPC;
  line.foreign[count] = now;
  line.count.store(count + 1, std::memory_order_release);  // release: the action comes first
  struct sigaction ours{};
  ours.sa_sigaction = &on_signal;
  // On the program's alternative stack if it has one: its handler may need that behind ours.
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigfillset(&ours.sa_mask);
  return sigaction(signal, &ours, nullptr) == 0 ? 0 : errno;
}

}  // namespace

int watch_faults(int signal, OnFault on_fault, void* self) noexcept {
  const int program_errno = errno;
  Line& line = line_of(signal);
  Client* place = nullptr;
  bool known = false;
  for (Client& client : line.clients) {
    void* const other = client.self.load(std::memory_order_relaxed);  // relaxed: our own writes
    if (other == self) known = true;
    if (other == nullptr && place == nullptr) place = &client;
  }
  int error = 0;
  if (!known && place == nullptr) error = ENOSPC;
  if (!known && place != nullptr) {
    place->on_fault = on_fault;
    place->self.store(self, std::memory_order_release);  // release: the function comes first
  }
  if (error == 0) error = take_signal(signal, line);
  errno = program_errno;
  return error;
}

void forget_faults(void* self) noexcept {
  for (Line* line : {&segv_line, &bus_line}) {
    for (Client& client : line->clients) {
      void* expected = self;
      client.self.compare_exchange_strong(expected, nullptr, std::memory_order_relaxed);
    }
  }
}

}  // namespace lares::memory
