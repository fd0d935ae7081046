// The user's terminal while a program in the guest has it.
#pragma once

#include <termios.h>

#include <optional>

#include "lab/protocol/frames.hpp"

namespace lares::lab {

/// True if this process is in the foreground of the terminal that `file` is. Others must neither
/// read from it nor change it.
bool in_foreground_of(int file) noexcept;

/// The size of the terminal; nothing if `file` is none.
std::optional<WindowSize> window_size(int file) noexcept;

/// Standard input in raw mode: every key goes to the guest, whose terminal gives it its meaning.
/// Back as it was when the object ends.
class RawTerminal {
 public:
  RawTerminal() = default;
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;
  ~RawTerminal() { leave(); }

  void enter() noexcept;
  void leave() noexcept;

 private:
  std::optional<termios> before_;
};

/// Finds the keys that end the guest whatever its programs do: Ctrl-] three times within a second,
/// as other programs that run guests have it.
class EscapeKeys {
 public:
  /// True if `key` completes them. `milliseconds`: a monotonic clock.
  bool add(char key, std::int64_t milliseconds) noexcept;

 private:
  int count_ = 0;
  std::int64_t first_ = 0;
};

}  // namespace lares::lab
