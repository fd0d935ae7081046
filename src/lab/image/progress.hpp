// A line on the terminal that says what is being waited for.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace lares::lab {

/// Shows nothing for the first two seconds, and nothing at all where no terminal is; the line is
/// removed at the end. One thread uses it.
class Progress {
 public:
  /// On standard error.
  Progress();
  Progress(int descriptor, bool is_terminal, std::chrono::milliseconds patience);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// Replaces the line, if it is time to show one; may be called as often as one likes.
  void show(std::string_view text);
  /// Removes the line; the next two seconds are silent again.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  int descriptor_;
  bool is_terminal_;
  std::chrono::milliseconds patience_;
  Clock::time_point start_;
  std::string shown_;
};

}  // namespace lares::lab
