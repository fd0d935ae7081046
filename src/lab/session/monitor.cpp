#include "lab/session/monitor.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/clock.hpp"

namespace lares::lab {
namespace {

using Message = nlohmann::json;

/// Answers come as lines; events may come between them.
class Lines {
 public:
  Lines(int file, int seconds)
      : file_(file), deadline_(now().count + std::int64_t{seconds} * 1'000'000'000) {}

  /// The next line as an object, or null when time is up or QEMU is gone.
  Message next() {
    for (;;) {
      if (const std::size_t end = text_.find('\n'); end != std::string::npos) {
        Message line = Message::parse(text_.substr(0, end), nullptr, false);
        text_.erase(0, end + 1);
        return line;
      }
      if (!read_more()) return nullptr;
    }
  }

 private:
  bool read_more() {
    const std::int64_t left = (deadline_ - now().count) / 1'000'000;
    pollfd in{file_, POLLIN, 0};
    if (left <= 0 || ::poll(&in, 1, static_cast<int>(left)) <= 0) return false;
    char bytes[4096];
    const ssize_t got = read(file_, bytes, sizeof(bytes));
    if (got > 0) text_.append(bytes, static_cast<std::size_t>(got));
    return got > 0;
  }

  int file_;
  std::int64_t deadline_;
  std::string text_;
};

bool send(int file, const Message& message) {
  const std::string line = message.dump() + "\n";
  return write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
}

Error no_answer(std::string_view command) {
  return {fmt::format("QEMU's monitor did not answer \"{}\"", command)};
}

/// The value of "return" of the next answer; null if there is none.
Message answer(Lines& lines) {
  for (Message line = lines.next(); line.is_object(); line = lines.next()) {
    if (line.contains("return")) return line["return"];
    if (line.contains("error")) return nullptr;
  }
  return nullptr;
}

}  // namespace

Result<std::string> ask_monitor(int file, std::string_view command, int seconds) {
  Lines lines(file, seconds);
  const Message hello{{"execute", "qmp_capabilities"}};
  if (!lines.next().contains("QMP") || !send(file, hello) || !answer(lines).is_object()) {
    return no_answer(command);
  }
  const Message question{{"execute", "human-monitor-command"},
                         {"arguments", {{"command-line", std::string(command)}}}};
  if (!send(file, question)) return no_answer(command);
  const Message text = answer(lines);
  if (!text.is_string()) return no_answer(command);
  return text.get<std::string>();
}

}  // namespace lares::lab
