#include "lab/session/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

namespace lares::lab {

bool in_foreground_of(int file) noexcept {
  return isatty(file) == 1 && tcgetpgrp(file) == getpgrp();
}

std::optional<WindowSize> window_size(int file) noexcept {
  winsize size{};
  if (ioctl(file, TIOCGWINSZ, &size) != 0) return std::nullopt;
  return WindowSize{size.ws_row, size.ws_col};
}

void RawTerminal::enter() noexcept {
  termios now{};
  if (before_ || tcgetattr(STDIN_FILENO, &now) != 0) return;
  before_ = now;
  cfmakeraw(&now);
  tcsetattr(STDIN_FILENO, TCSADRAIN, &now);
}

void RawTerminal::leave() noexcept {
  if (before_) tcsetattr(STDIN_FILENO, TCSADRAIN, &*before_);
  before_.reset();
}

bool EscapeKeys::add(char key, std::int64_t milliseconds) noexcept {
  constexpr char escape = 0x1d;
  if (key != escape) {
    count_ = 0;
    return false;
  }
  if (count_ == 0 || milliseconds - first_ > 1000) {
    count_ = 0;
    first_ = milliseconds;
  }
  return ++count_ == 3;
}

}  // namespace lares::lab
