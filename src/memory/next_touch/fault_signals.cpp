#include "memory/next_touch/fault_signals.hpp"

#include <pthread.h>
#include <ucontext.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <mutex>

#include "memory/next_touch/quiet.hpp"

namespace lares::memory {
namespace {

struct Client {
  std::atomic<void*> self{nullptr};  ///< null: free; written last, so the rest is complete
  OnFault on_fault = nullptr;
};

/// An action that handlers read while watch_faults() replaces it.
class Stored {
 public:
  void write(const struct sigaction& action) noexcept {
    std::array<std::uint64_t, words> text{};
    std::memcpy(text.data(), &action, sizeof(action));
    // An odd number while it is written. release, both: a reader that meets a new word sees it.
    version_.fetch_add(1, std::memory_order_release);
    for (std::size_t i = 0; i < words; ++i) text_[i].store(text[i], std::memory_order_release);
    version_.fetch_add(1, std::memory_order_release);
  }
  /// The writer is never interrupted by a reader on its own thread: it has all signals blocked.
  void read(struct sigaction& action) const noexcept {
    std::array<std::uint64_t, words> text{};
    for (;;) {
      // acquire: the words of this version. They cannot be read before it.
      const std::uint32_t version = version_.load(std::memory_order_acquire);
      for (std::size_t i = 0; i < words; ++i) text[i] = text_[i].load(std::memory_order_acquire);
      // relaxed: the acquire loads come before it.
      if (version % 2 == 0 && version_.load(std::memory_order_relaxed) == version) break;
    }
    std::memcpy(&action, text.data(), sizeof(action));
  }

 private:
  static constexpr std::size_t words = (sizeof(struct sigaction) + 7) / 8;
  std::array<std::atomic<std::uint64_t>, words> text_{};
  std::atomic<std::uint32_t> version_{0};
};

/// What a signal leads to. Written by watch_faults(), read in handlers.
struct Line {
  static constexpr std::size_t most = 8;
  std::array<Client, most> clients;
  Stored before;       ///< what the program had when we came first
  Stored latest;       ///< what it has set last
  bool taken = false;  ///< watch_faults() only
};

Line segv_line;
Line bus_line;
std::mutex watching;  ///< of markers of several areas' owners; none of them forks meanwhile

Line& line_of(int signal) noexcept { return signal == SIGBUS ? bus_line : segv_line; }

/// A signal that this thread has passed on to a handler of the program: that one may hand it back,
/// as handlers do that were set after ours and know us as their predecessor. Then it goes to what
/// was there before us, and handed back again, to the kernel. A handler that never returns (it
/// jumps) leaves this behind; it is a circle only deeper in the same stack with the same signal.
struct Passing {
  const siginfo_t* info;
  const void* frame;
  int times;
};
[[gnu::tls_model("initial-exec")]] thread_local constinit Passing t_passing{nullptr, nullptr, 0};

/// Does what the kernel would have done without us.
void pass_on(int signal, siginfo_t* info, void* context, int times) noexcept {
  struct sigaction action{};
  if (times == 0) line_of(signal).latest.read(action);
  if (times == 1) line_of(signal).before.read(action);
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

/// What the processor says of the access, where it does.
void read_access(const ucontext_t& context, Fault& fault) noexcept {
#if defined(__x86_64__)
  const auto error = static_cast<std::uint64_t>(context.uc_mcontext.gregs[REG_ERR]);
  fault.writes = (error & 2U) != 0;
  fault.fetches = (error & 16U) != 0;
#elif defined(__aarch64__)
  fault.fetches = context.uc_mcontext.pc == fault.address;
  constexpr std::uint32_t esr_magic = 0x45535201;
  const auto* at = reinterpret_cast<const unsigned char*>(context.uc_mcontext.__reserved);
  const auto* const end = at + sizeof(context.uc_mcontext.__reserved);
  while (at + 16 <= end) {
    std::uint32_t head[2];
    std::memcpy(head, at, sizeof(head));
    if (head[0] == 0 || head[1] < sizeof(head)) break;
    if (head[0] == esr_magic) {
      std::uint64_t syndrome = 0;
      std::memcpy(&syndrome, at + sizeof(head), sizeof(syndrome));
      fault.writes = (syndrome & 0x40U) != 0;
      fault.fetches = syndrome >> 26U == 0x20;
    }
    at += head[1];
  }
#else
  static_cast<void>(context);
  static_cast<void>(fault);
#endif
}

bool known_to_a_client(int signal, const siginfo_t* info, const void* context) noexcept {
  const bool is_fault =
      signal == SIGBUS ? info->si_code == BUS_ADRERR : info->si_code == SEGV_ACCERR;
  if (!is_fault) return false;
  const NotCancelled whole;
  Fault fault{signal, reinterpret_cast<std::uintptr_t>(info->si_addr)};
  read_access(*static_cast<const ucontext_t*>(context), fault);
  bool known = false;
  for (const bool stray : {false, true}) {
    fault.stray = stray;
    for (Client& client : line_of(signal).clients) {
      // acquire: pairs with the release in watch_faults().
      void* const self = client.self.load(std::memory_order_acquire);
      if (self != nullptr && client.on_fault(self, fault)) known = true;
      if (known && !stray) return true;
    }
  }
  return known;
}

void on_signal(int signal, siginfo_t* info, void* context) {
  const int program_errno = errno;
  const void* const frame = __builtin_frame_address(0);
  const Passing outer = t_passing;
  const bool handed_back = outer.info == info && frame < outer.frame;
  if (handed_back || !known_to_a_client(signal, info, context)) {
    t_passing = {info, frame, handed_back ? outer.times + 1 : 0};
    pass_on(signal, info, context, t_passing.times);
    t_passing = outer;
  }
  errno = program_errno;
}

bool is_ours(const struct sigaction& action) noexcept {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == &on_signal;
}

bool is_same(const struct sigaction& one, const struct sigaction& other) noexcept {
  return one.sa_sigaction == other.sa_sigaction && one.sa_flags == other.sa_flags &&
         std::memcmp(&one.sa_mask, &other.sa_mask, sizeof(one.sa_mask)) == 0;
}

/// The program's action goes behind ours. One that it sets at this very moment is what the kernel
/// says was there when ours came.
int take_signal(int signal, Line& line) noexcept {
  struct sigaction now{};
  if (sigaction(signal, nullptr, &now) != 0) return errno;
  if (is_ours(now)) return 0;
  if (!line.taken) line.before.write(now);
  line.latest.write(now);
  line.taken = true;
  struct sigaction ours{};
  ours.sa_sigaction = &on_signal;
  // On the program's alternative stack if it has one: its handler may need that behind ours.
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigfillset(&ours.sa_mask);
  struct sigaction replaced{};
  if (sigaction(signal, &ours, &replaced) != 0) return errno;
  if (!is_ours(replaced) && !is_same(replaced, now)) line.latest.write(replaced);
  return 0;
}

}  // namespace

int watch_faults(int signal, OnFault on_fault, void* self) noexcept {
  const int program_errno = errno;
  const std::lock_guard lock(watching);
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
