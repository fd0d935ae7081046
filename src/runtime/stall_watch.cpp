// The thread of `lares run --stall`. It is not the program's: it takes no signal, is on no stack
// that the program sees, is gone in the child of a fork, and does not keep the process alive.
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "base/clock.hpp"
#include "runtime/engine.hpp"
#include "runtime/stall.hpp"
#include "runtime/stall_inside.hpp"

namespace lares::runtime::stall {

namespace {

// A program that stalls again and again has said what it has to say.
constexpr int most_pages = 10;

// A process lives until its last thread has ended. If the first has (by pthread_exit) and no other
// is left, this one must not be the last for ever.
bool is_last_thread() noexcept {
  char text[512];
  const int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t got = read(file, text, sizeof(text) - 1);
  close(file);
  if (got <= 0) return false;
  text[got] = '\0';
  const char* at = std::strrchr(text, ')');  // the name before it may hold anything
  if (at == nullptr || std::strncmp(at, ") Z", 3) != 0) return false;
  // From the state, field 3, to the number of threads, field 20.
  for (int field = 2; field < 20 && at != nullptr; ++field) at = std::strchr(at + 1, ' ');
  return at != nullptr && std::atoi(at) <= 2;
}

void rest(Nanoseconds time) noexcept {
  timespec t{};
  t.tv_sec = time.count / 1'000'000'000;
  t.tv_nsec = time.count % 1'000'000'000;
  nanosleep(&t, nullptr);
}

/// Adds up the time without progress.
class Watch {
 public:
  explicit Watch(Nanoseconds limit) noexcept
      : limit_(limit), tick_{std::clamp<std::int64_t>(limit.count / 8, 20'000'000, 500'000'000)} {}

  [[nodiscard]] Nanoseconds tick() const noexcept { return tick_; }

  void look_again() noexcept {
    const Progress progress = look();
    const Nanoseconds at = now();
    // Where much more time has passed than this thread has slept, the process was stopped.
    const std::int64_t passed = std::min((at - before_).count, 2 * tick_.count);
    before_ = at;
    if (progress.open == 0 || progress.moved != moved_) {
      moved_ = progress.moved;
      stalled_ = Nanoseconds{};
      told_ = false;
      return;
    }
    stalled_ = stalled_ + Nanoseconds{passed};
    if (told_ || stalled_ < limit_ || pages_ == most_pages) return;
    told_ = true;
    ++pages_;
    leave_page(stalled_);
  }

 private:
  Nanoseconds limit_;
  Nanoseconds tick_;
  Nanoseconds before_ = now();
  Nanoseconds stalled_;
  std::uint64_t moved_ = 0;
  bool told_ = false;
  int pages_ = 0;
};

void* watch(void* limit) {
  Watch watch(Nanoseconds{static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(limit))});
  while (!is_last_thread()) {
    rest(watch.tick());
    if (is_asked()) answer();
    watch.look_again();
  }
  return nullptr;
}

}  // namespace

void start_watching(Nanoseconds limit) noexcept {
  constexpr std::size_t stack = 128UL * 1024;
  // The new thread inherits the mask: none of the program's signals may be handled on it.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, stack);
  pthread_t thread{};
  auto* const argument = reinterpret_cast<void*>(static_cast<std::intptr_t>(limit.count));
  int refused = pthread_create(&thread, &attributes, watch, argument);
  if (refused != 0) {
    // Thread storage lies on the stack, and a program may have more of it than this.
    pthread_attr_destroy(&attributes);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    refused = pthread_create(&thread, &attributes, watch, argument);
  }
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (refused != 0) {
    Engine::instance().note("--stall: the system gives no thread to watch with, so none watches");
  }
}

}  // namespace lares::runtime::stall
