#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace lares::cli {

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (terminal_) fmt::print(stderr, "\r\033[K");
}

void ProgressLine::show(const std::string& what, std::size_t done, std::size_t all) {
  if (!terminal_) return;
  fmt::print(stderr, "\r\033[K{} of {}: {}", done, all, what.substr(0, 60));
  std::fflush(stderr);
}

}  // namespace lares::cli
