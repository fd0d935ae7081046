// The thread that reads what the kernel says of watched areas.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "memory/next_touch/userfault.hpp"

namespace lares::memory {

/// What the monitor tells. The functions run on its thread and must not wait for another thread:
/// that one may wait for the monitor to take a message. Those that give an errno are called again
/// if it is EAGAIN, and no later message but touches is told before.
class Listener {
 public:
  /// Thread `thread` waits at `address`.
  virtual void touched(Userfault& source, std::uintptr_t address, pid_t thread) noexcept = 0;
  /// Pages [begin, end) are mapped no more.
  virtual int unmapped(Userfault& source, std::uintptr_t begin, std::uintptr_t end) noexcept = 0;
  /// Pages [begin, end) are about to be emptied: they read as zeros from then on.
  virtual int emptied(std::uintptr_t begin, std::uintptr_t end) noexcept = 0;
  /// What was at [begin, end) is now at `to`.
  virtual int moved(Userfault& source, std::uintptr_t begin, std::uintptr_t end,
                    std::uintptr_t to) noexcept = 0;

 protected:
  Listener() = default;
  ~Listener() = default;
  Listener(const Listener&) = default;
  Listener& operator=(const Listener&) = default;
};

/// One thread for one descriptor, with all signals blocked and a small stack. It lives until stop()
/// or the end of the process. Thread safety: start(), stop() and lose() from one thread at a time;
/// busy() from any, also in a signal handler.
class Monitor {
 public:
  Monitor(Userfault& source, Listener& listener) noexcept : source_(source), listener_(listener) {}
  ~Monitor() { stop(); }
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  /// 0 or an errno. Started already: 0.
  int start() noexcept;
  void stop() noexcept;
  /// In the child of a fork: the thread does not exist here.
  void lose() noexcept;
  /// True from before a message is taken until it is dealt with. What the program did to an area
  /// (its system call returns when the message is taken) is known once this is false.
  [[nodiscard]] bool busy() const noexcept {
    return busy_.load(std::memory_order_acquire);  // acquire: what was dealt with is seen
  }

 private:
  struct Change {
    unsigned event = 0;
    std::uintptr_t begin = 0, end = 0, to = 0;
  };
  static constexpr std::size_t most_changes = 256;

  static void* run(void* self) noexcept;
  void loop() noexcept;
  void deal_with_messages() noexcept;
  bool take_message() noexcept;
  int tell(const Change& change) noexcept;

  Userfault& source_;
  Listener& listener_;
  pthread_t thread_{};
  bool started_ = false;
  int stop_pipe_[2]{-1, -1};
  /// Messages that were taken and are still to be told, oldest first; the monitor's thread only.
  std::array<Change, most_changes> changes_{};
  std::size_t first_ = 0;
  std::size_t waiting_ = 0;
  std::atomic<bool> busy_{false};  ///< the monitor's thread writes, any thread reads
};

/// The processor that a thread of this process was last on, from /proc; 0 if that cannot be read.
unsigned cpu_of_thread(pid_t thread) noexcept;

}  // namespace lares::memory
