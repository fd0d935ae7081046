// The thread that reads what the kernel says of watched areas.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "memory/next_touch/shared.hpp"
#include "memory/reserve.hpp"

namespace lares::memory {

/// What the monitor tells. The functions run on its thread and must not wait for another thread:
/// that one may wait for the monitor to take a message. Those that give an errno are called again
/// if it is EAGAIN, and no later message but touches is told before.
class Listener {
 public:
  /// Thread `thread` waits at `address`. The gate is not closed by this monitor.
  virtual int touched(Way way, std::uintptr_t address, pid_t thread) noexcept = 0;
  // The rest with the gate closed since before the message was read.
  /// Pages [begin, end) are mapped no more.
  virtual int unmapped(Way way, std::uintptr_t begin, std::uintptr_t end) noexcept = 0;
  /// Pages [begin, end) are about to be emptied: they read as zeros from then on.
  virtual int emptied(Way way, std::uintptr_t begin, std::uintptr_t end) noexcept = 0;
  /// What was at [begin, end) is now at `to`.
  virtual int moved(Way way, std::uintptr_t begin, std::uintptr_t end,
                    std::uintptr_t to) noexcept = 0;

 protected:
  Listener() = default;
  ~Listener() = default;
  Listener(const Listener&) = default;
  Listener& operator=(const Listener&) = default;
};

/// One thread for one descriptor, with all signals blocked and a small stack. It lives until stop()
/// or the end of the process. Thread safety: start(), stop() and lose() from one thread at a time.
class Monitor {
 public:
  /// The keeper keeps the descriptor of the watch; it has been started before start().
  Monitor(Watch& watch, Way way, Listener& listener, Keeper& keeper) noexcept
      : watch_(watch), way_(way), listener_(listener), keeper_(keeper) {}
  ~Monitor() { stop(); }
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  /// 0 or an errno. Started already: 0.
  int start() noexcept;
  /// The keeper has told the end.
  void stop() noexcept;
  /// In the child of a fork: the thread does not exist here.
  void lose() noexcept;

 private:
  struct Change {
    unsigned event = 0;
    std::uintptr_t begin = 0, end = 0, to = 0;
  };
  struct Touch {
    std::uintptr_t address = 0;
    pid_t thread = 0;
  };
  static constexpr std::size_t most_changes = 4096;
  static constexpr std::size_t most_touches = 65536;  ///< as many threads as may wait at once

  static void* run(void* self) noexcept;
  void loop() noexcept;
  void take_message() noexcept;
  void take_touch(std::uintptr_t address, pid_t thread) noexcept;
  void tell_changes() noexcept;
  void tell_touches() noexcept;
  int tell(const Change& change) noexcept;

  Watch& watch_;
  const Way way_;
  Listener& listener_;
  Keeper& keeper_;
  pthread_t thread_{};
  bool started_ = false;
  /// Messages that were taken and are still to be told, oldest first; the monitor's thread only.
  Reserve changes_memory_{most_changes * sizeof(Change)};
  Change* const changes_ = static_cast<Change*>(changes_memory_.data());
  std::size_t first_ = 0;
  std::size_t waiting_ = 0;
  Reserve touches_memory_{most_touches * sizeof(Touch)};
  Touch* const touches_ = static_cast<Touch*>(touches_memory_.data());
  std::size_t touches_waiting_ = 0;
};

/// The processor that a thread of this process was last on, from /proc; -1 if that cannot be read.
int cpu_of_thread(pid_t thread) noexcept;

/// Whether a thread of this process is in an mremap that makes a mapping larger, from /proc; false
/// if that cannot be read. Of a thread that is about to sleep, the kernel answers when it does.
bool is_growing_a_mapping(pid_t thread) noexcept;

}  // namespace lares::memory
