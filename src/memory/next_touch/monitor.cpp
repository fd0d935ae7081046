#include "memory/next_touch/monitor.hpp"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace lares::memory {

int Monitor::start() noexcept {
  if (started_) return 0;
  if (pipe2(stop_pipe_, O_CLOEXEC) != 0) return errno;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  constexpr std::size_t stack_bytes = std::size_t{256} * 1024;
  pthread_attr_setstacksize(&attributes, stack_bytes);
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // the thread inherits it
  const int error = pthread_create(&thread_, &attributes, &Monitor::run, this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  started_ = error == 0;
  if (error != 0) lose();
  return error;
}

void Monitor::stop() noexcept {
  if (!started_) return;
  ::close(stop_pipe_[1]);
  stop_pipe_[1] = -1;
  pthread_join(thread_, nullptr);
  lose();
}

void Monitor::lose() noexcept {
  for (int& end : stop_pipe_) {
    if (end >= 0) ::close(end);
    end = -1;
  }
  started_ = false;
  busy_.store(false, std::memory_order_relaxed);  // relaxed: the thread is gone
}

void* Monitor::run(void* self) noexcept {
  static_cast<Monitor*>(self)->loop();
  return nullptr;
}

void Monitor::loop() noexcept {
  for (;;) {
    std::array<pollfd, 2> sources{{{source_.descriptor(), POLLIN, 0}, {stop_pipe_[0], POLLIN, 0}}};
    if (poll(sources.data(), sources.size(), -1) < 0 && errno != EINTR) return;
    if (sources[1].revents != 0) return;
    if (sources[0].revents == 0) continue;
    // seq_cst: set before a message is taken, so whoever it concerned sees it when it goes on.
    busy_.store(true, std::memory_order_seq_cst);
    deal_with_messages();
    busy_.store(false, std::memory_order_release);  // release: what was done comes first
  }
}

void Monitor::deal_with_messages() noexcept {
  take_message();
  while (waiting_ > 0) {
    if (tell(changes_[first_]) == EAGAIN) {
      // Whatever is in the way may itself wait for a message to be taken.
      if (waiting_ == most_changes || !take_message()) sched_yield();
      continue;
    }
    first_ = (first_ + 1) % most_changes;
    --waiting_;
  }
}

bool Monitor::take_message() noexcept {
  uffd_msg message;
  if (read(source_.descriptor(), &message, sizeof(message)) != sizeof(message)) return false;
  if (message.event == UFFD_EVENT_PAGEFAULT) {
    // A touch changes nothing that others must wait for.
    if (waiting_ == 0) busy_.store(false, std::memory_order_release);
    listener_.touched(source_, message.arg.pagefault.address,
                      static_cast<pid_t>(message.arg.pagefault.feat.ptid));
    return true;
  }
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
  return true;
}

int Monitor::tell(const Change& change) noexcept {
  switch (change.event) {
    case UFFD_EVENT_UNMAP:
      return listener_.unmapped(source_, change.begin, change.end);
    case UFFD_EVENT_REMOVE:
      return listener_.emptied(change.begin, change.end);
    case UFFD_EVENT_REMAP:
      return listener_.moved(source_, change.begin, change.end, change.to);
    default:
      return 0;
  }
}

unsigned cpu_of_thread(pid_t thread) noexcept {
  std::array<char, 64> path;
  std::snprintf(path.data(), path.size(), "/proc/self/task/%d/stat", static_cast<int>(thread));
  const int file = open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::array<char, 1024> text;
  const ssize_t got = read(file, text.data(), text.size() - 1);
  ::close(file);
  if (got <= 0) return 0;
  text[static_cast<std::size_t>(got)] = '\0';
  // The name may hold anything; the fields after it are numbers, and the 37th of them is it.
  const char* at = std::strrchr(text.data(), ')');
  constexpr int fields_after_name = 37;
  for (int field = 0; at != nullptr && field < fields_after_name; ++field) {
    at = std::strchr(at + 1, ' ');
  }
  return at == nullptr ? 0 : static_cast<unsigned>(std::strtoul(at, nullptr, 10));
}

}  // namespace lares::memory
