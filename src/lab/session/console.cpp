#include "lab/session/console.hpp"

#include <algorithm>
#include <vector>

namespace lares::lab {
namespace {

/// "[    1.234567] text" as "text"; also without a "[    T1]" that some kernels add.
std::string_view without_stamp(std::string_view line) {
  while (line.starts_with('[')) {
    const std::size_t end = line.find("] ");
    if (end > 20) break;  // or there is none
    line.remove_prefix(end + 2);
  }
  return line;
}

std::string tidy(std::string_view line) {
  std::string text(without_stamp(line));
  std::erase_if(text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; });
  return text;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

void ConsoleLog::add(std::string_view bytes) {
  text_.append(bytes);
  if (text_.size() > 2 * capacity) text_.erase(0, text_.size() - capacity);
}

std::optional<std::string> ConsoleLog::last_line_with(std::string_view part) const {
  const auto lines = lines_of(text_);
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    if (line->find(part) == std::string_view::npos) continue;
    if (std::string text = tidy(*line); !text.empty()) return text;
  }
  return std::nullopt;
}

std::optional<std::string> ConsoleLog::last_line() const { return last_line_with(""); }

Diagnosis diagnose(const ConsoleLog& console) {
  const auto killed = console.last_line_with("Killed process");
  const auto deadlock = console.last_line_with("deadlocked on memory");
  const auto no_room = console.last_line_with("Initramfs unpacking failed");
  for (const auto* line : {&killed, &deadlock, &no_room}) {
    if (*line) return {true, **line};
  }
  for (const char* part : {"lares-init:", "Kernel panic", "Oops", "BUG:"}) {
    if (auto line = console.last_line_with(part)) return {false, *line};
  }
  return {};
}

}  // namespace lares::lab
