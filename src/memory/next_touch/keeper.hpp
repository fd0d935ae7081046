// What of ours has to stay open, whatever the program closes.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <span>

#include "memory/calls.hpp"

namespace lares::memory {

/// Where the last descriptor of a userfaultfd is closed, the kernel gives up its areas, and what
/// lies aside is lost to the program. So a thread has a table of descriptors of its own
/// (Linux 5.9), which the program cannot reach, and makes the requests that fail elsewhere. All
/// threads that need these descriptors are started by it, and share its table.
///
/// The thread waits for nothing but the next request: so anybody may wait for it.
/// Thread safety: control() from any thread that has all signals blocked, takes no lock and calls
/// nothing that is not safe in a signal handler; the rest from one thread at a time.
class Keeper {
 public:
  explicit Keeper(const SystemCalls& calls) noexcept : calls_(calls) {}
  ~Keeper() { stop(); }
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  /// 0 or an errno. Where the system refuses a table, all is in the program's. Started already: 0.
  int start(std::span<const int> files) noexcept;
  [[nodiscard]] bool started() const noexcept { return end_file_ >= 0; }
  /// Starts a thread that has all signals blocked and a small stack. 0 or an errno.
  int launch(pthread_t& thread, void* (*routine)(void*), void* argument) noexcept;
  /// For the threads that were launched: readable from tell_end() on.
  [[nodiscard]] int end_file() const noexcept { return end_file_; }
  void tell_end() noexcept;
  /// Those that were launched have been joined.
  void stop() noexcept;
  /// In the child of a fork: no thread exists here.
  void lose() noexcept;

  /// What the calling thread's table lacks, this one may have.
  [[nodiscard]] bool keeps() const noexcept {
    return keeps_.load(std::memory_order_relaxed);  // relaxed: set before any area is marked
  }
  /// The call of that name (see SystemCalls), with the keeper's table. keeps() holds.
  long control(int file, unsigned long request, void* argument) noexcept;

 private:
  enum class Kind : std::uint8_t { control, launch, tell_end, end };
  struct Request {
    Kind kind = Kind::control;
    int file = -1;
    unsigned long request = 0;
    void* argument = nullptr;
    pthread_t* thread = nullptr;
    void* (*routine)(void*) = nullptr;
  };
  /// Invariant: `request_` belongs to whoever made `state_` taken, until it is asked; then to the
  /// thread, until it is answered; then `result_` to the first again, who makes it idle.
  enum State : std::uint32_t { idle, taken, asked, answered };

  static void* run(void* self) noexcept;
  void serve(std::span<const int> files) noexcept;
  long answer(const Request& request) const noexcept;
  long ask(const Request& request) noexcept;

  const SystemCalls& calls_;
  std::span<const int> files_;  ///< while start() runs
  std::atomic<bool> keeps_{false};
  int end_file_ = -1;
  pthread_t thread_{};
  std::atomic<std::uint32_t> state_{idle};  ///< any thread
  Request request_;
  long result_ = 0;
};

}  // namespace lares::memory
