#include "memory/next_touch/monitor.hpp"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <span>

#include "base/disorder.hpp"

namespace lares::memory {
namespace {

// The kernel is asked directly: a program may have functions of its own under the C library's
// names, and they may use memory that waits for this thread.

int wait_for(std::span<pollfd> sources, bool forever) noexcept {
  timespec none{};
  return static_cast<int>(
      syscall(SYS_ppoll, sources.data(), sources.size(), forever ? nullptr : &none, nullptr, 0UL));
}

long read_from(int file, void* to, std::size_t bytes) noexcept {
  return syscall(SYS_read, file, to, bytes);
}

int value_of(char digit) noexcept {
  if (digit >= '0' && digit <= '9') return digit - '0';
  return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : 16;
}

/// The number at `at`, which moves behind it.
unsigned long number_at(const char*& at, unsigned long base) noexcept {
  while (*at == ' ') ++at;
  if (base == 16 && at[0] == '0' && at[1] == 'x') at += 2;
  unsigned long value = 0;
  for (; value_of(*at) < static_cast<int>(base); ++at) {
    value = value * base + static_cast<unsigned long>(value_of(*at));
  }
  return value;
}

/// A file of /proc, whole or its beginning, with a 0 at the end; false if there is nothing to read.
bool read_of_thread(pid_t thread, const char* name, std::span<char> text) noexcept {
  std::array<char, 64> path{"/proc/self/task/"};
  std::array<char, 16> digits;
  std::size_t count = 0;
  for (auto rest = static_cast<unsigned>(thread); count == 0 || rest != 0; rest /= 10) {
    digits[count++] = static_cast<char>('0' + rest % 10);
  }
  char* end = path.data() + std::strlen(path.data());
  while (count > 0) *end++ = digits[--count];
  *end++ = '/';
  std::memcpy(end, name, std::strlen(name) + 1);
  const auto file =
      static_cast<int>(syscall(SYS_openat, AT_FDCWD, path.data(), O_RDONLY | O_CLOEXEC));
  if (file < 0) return false;
  const long got = read_from(file, text.data(), text.size() - 1);
  syscall(SYS_close, file);
  text[got < 0 ? 0 : static_cast<std::size_t>(got)] = '\0';
  return got > 0;
}

}  // namespace

int Monitor::start() noexcept {
  if (started_) return 0;
  if (changes_ == nullptr || touches_ == nullptr) return ENOMEM;
  const int error = keeper_.launch(thread_, &Monitor::run, this);
  started_ = error == 0;
  return error;
}

void Monitor::stop() noexcept {
  if (!started_) return;
  pthread_join(thread_, nullptr);
  lose();
}

void Monitor::lose() noexcept {
  started_ = false;
  first_ = waiting_ = touches_waiting_ = 0;
}

void* Monitor::run(void* self) noexcept {
  static_cast<Monitor*>(self)->loop();
  return nullptr;
}

void Monitor::loop() noexcept {
  bool closed = false;
  for (Patience patience;;) {
    const bool idle = waiting_ == 0 && touches_waiting_ == 0;
    const int file = watch_.userfault.descriptor();
    std::array<pollfd, 2> sources{{{file, POLLIN, 0}, {keeper_.end_file(), POLLIN, 0}}};
    if (wait_for(sources, idle) < 0 && errno != EINTR) break;
    if (sources[1].revents != 0) break;
    // Nobody keeps it, and the program has closed it: there is nothing to come.
    if ((sources[0].revents & (POLLNVAL | POLLHUP)) != 0) break;
    if (sources[0].revents != 0) {
      // Before the program goes on that made the change, nobody may give its pages what they held.
      disorder::pause(disorder::Point::change_told);
      if (!closed) watch_.gate.close();
      closed = true;
      take_message();
      patience = {};
      disorder::late(disorder::Point::change_read);
    } else if (!idle) {
      patience.wait();  // all is taken, so whoever is in the way can get on
    }
    tell_changes();
    if (waiting_ > 0) continue;
    if (closed) watch_.gate.open();
    closed = false;
    tell_touches();
  }
  if (closed) watch_.gate.open();
}

void Monitor::take_message() noexcept {
  uffd_msg message;
  const long got = read_from(watch_.userfault.descriptor(), &message, sizeof(message));
  if (got != static_cast<long>(sizeof(message))) return;
  if (message.event == UFFD_EVENT_PAGEFAULT) {
    const auto& fault = message.arg.pagefault;
    take_touch(fault.address, static_cast<pid_t>(fault.feat.ptid));
    return;
  }
  // With so many changes under way, whoever made the next one waits.
  while (waiting_ == most_changes) tell_changes();
  Change& change = changes_[(first_ + waiting_++) % most_changes];
  change.event = message.event;
  if (message.event == UFFD_EVENT_REMAP) {
    const auto& remap = message.arg.remap;
    change.begin = remap.from;
    change.end = remap.from + remap.len;
    change.to = remap.to;
  } else {
    change.begin = message.arg.remove.start;
    change.end = message.arg.remove.end;
  }
}

/// The kernel hands out touches before changes. So a toucher whose turn cannot come yet stays
/// asleep: woken, it would touch again, and the change that is in the way would never be taken.
void Monitor::take_touch(std::uintptr_t address, pid_t thread) noexcept {
  if (touches_waiting_ == most_touches) {
    watch_.userfault.wake(address, static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
    return;
  }
  touches_[touches_waiting_++] = {address, thread};
}

void Monitor::tell_changes() noexcept {
  while (waiting_ > 0 && tell(changes_[first_]) != EAGAIN) {
    first_ = (first_ + 1) % most_changes;
    --waiting_;
  }
}

void Monitor::tell_touches() noexcept {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < touches_waiting_; ++i) {
    const Touch touch = touches_[i];
    if (listener_.touched(way_, touch.address, touch.thread) == EAGAIN) touches_[kept++] = touch;
  }
  touches_waiting_ = kept;
}

int Monitor::tell(const Change& change) noexcept {
  switch (change.event) {
    case UFFD_EVENT_UNMAP:
      return listener_.unmapped(way_, change.begin, change.end);
    case UFFD_EVENT_REMOVE:
      return listener_.emptied(way_, change.begin, change.end);
    case UFFD_EVENT_REMAP:
      return listener_.moved(way_, change.begin, change.end, change.to);
    default:
      return 0;
  }
}

int cpu_of_thread(pid_t thread) noexcept {
  std::array<char, 1024> text;
  if (!read_of_thread(thread, "stat", text)) return -1;
  // The name may hold anything; the fields after it are numbers, and the 37th of them is it.
  const char* at = std::strrchr(text.data(), ')');
  constexpr int fields_after_name = 37;
  for (int field = 0; at != nullptr && field < fields_after_name; ++field) {
    at = std::strchr(at + 1, ' ');
  }
  return at == nullptr ? -1 : static_cast<int>(number_at(at, 10));
}

bool is_growing_a_mapping(pid_t thread) noexcept {
  std::array<char, 256> text;
  if (!read_of_thread(thread, "syscall", text)) return false;
  // The call's number and its arguments: address, length before, length afterwards.
  const char* at = text.data();
  const unsigned long call = number_at(at, 10);
  number_at(at, 16);
  const unsigned long before = number_at(at, 16);
  const unsigned long after = number_at(at, 16);
  return call == SYS_mremap && after > before;
}

}  // namespace lares::memory
