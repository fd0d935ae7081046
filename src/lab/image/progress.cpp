#include "lab/image/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

namespace lares::lab {
namespace {

constexpr std::chrono::milliseconds two_seconds{2000};

void write_line(int descriptor, std::string_view text) noexcept {
  [[maybe_unused]] const auto written = write(descriptor, text.data(), text.size());
}

}  // namespace

Progress::Progress() : Progress(STDERR_FILENO, isatty(STDERR_FILENO) == 1, two_seconds) {}

Progress::Progress(int descriptor, bool is_terminal, std::chrono::milliseconds patience)
    : descriptor_(descriptor),
      is_terminal_(is_terminal),
      patience_(patience),
      start_(Clock::now()) {}

Progress::~Progress() { finish(); }

void Progress::show(std::string_view text) {
  if (!is_terminal_ || text == shown_ || Clock::now() - start_ < patience_) return;
  shown_ = text;
  write_line(descriptor_, fmt::format("\r\x1b[Klares: {}", text));
}

void Progress::finish() {
  if (!shown_.empty()) write_line(descriptor_, "\r\x1b[K");
  shown_.clear();
  start_ = Clock::now();
}

}  // namespace lares::lab
