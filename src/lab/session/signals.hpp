// The signals of this process as a queue that poll() can wait for.
#pragma once

#include <sys/signalfd.h>

#include <csignal>
#include <optional>

#include "lab/image/file.hpp"

namespace lares::lab {

/// From construction on, signals wait to be fetched, those excepted that mean a fault of this
/// process. At the end they are delivered as before; what waits then is dropped.
/// One object at a time, in a process with one thread.
class SignalQueue {
 public:
  SignalQueue();
  SignalQueue(const SignalQueue&) = delete;
  SignalQueue& operator=(const SignalQueue&) = delete;
  ~SignalQueue();

  [[nodiscard]] int file() const noexcept { return file_.descriptor(); }
  std::optional<signalfd_siginfo> next();

 private:
  sigset_t before_{};
  File file_;
};

/// True for a signal that the kernel sent to the whole process group on behalf of its terminal.
bool is_from_terminal(const signalfd_siginfo& info) noexcept;

/// True for the signals by which users and systems ask a program to end.
bool asks_to_end(int signal) noexcept;

}  // namespace lares::lab
