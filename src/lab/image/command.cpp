#include "lab/image/command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "lab/image/file.hpp"
#include "lab/image/signals.hpp"

namespace lares::lab {
namespace {

constexpr int poll_milliseconds = 100;

struct Pipe {
  File read_end;
  File write_end;

  bool make() noexcept {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read_end = File(ends[0]);
    write_end = File(ends[1]);
    return true;
  }
};

std::vector<std::string> environment_of(const CommandOptions& options) {
  std::vector<std::string> result = options.environment;
  const auto has_name = [](std::string_view entry, std::string_view name) {
    return entry.starts_with(name) && entry.substr(name.size()).starts_with('=');
  };
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto name = text.substr(0, text.find('='));
    const bool replaced = std::any_of(options.environment.begin(), options.environment.end(),
                                      [&](const auto& ours) { return has_name(ours, name); });
    const bool unset =
        std::find(options.unset.begin(), options.unset.end(), name) != options.unset.end();
    if (!replaced && !unset) result.emplace_back(text);
  }
  return result;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// What is needed between fork and exec, where nothing may be allocated.
struct Start {
  std::vector<std::string> words;
  std::vector<std::string> environment;
  std::vector<char*> word_pointers;
  std::vector<char*> environment_pointers;
  const char* folder = nullptr;
  pid_t parent = 0;
  Pipe output, errors, failure;
};

[[noreturn]] void become(Start& start) noexcept {
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  // Killed as we are, it must not go on alone; the parent may be gone before the kernel knows.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  const bool ready = getppid() == start.parent && dup2(nothing, STDIN_FILENO) >= 0 &&
                     dup2(start.output.write_end.descriptor(), STDOUT_FILENO) >= 0 &&
                     dup2(start.errors.write_end.descriptor(), STDERR_FILENO) >= 0 &&
                     (start.folder == nullptr || chdir(start.folder) == 0);
  if (ready) {
    HeldSignals::unblock_all();
    execvpe(start.word_pointers[0], start.word_pointers.data(), start.environment_pointers.data());
  }
  const int reason = errno;
  [[maybe_unused]] const auto written =
      write(start.failure.write_end.descriptor(), &reason, sizeof reason);
  _exit(127);
}

/// One stream of the running command; false at its end or when it is too much.
struct Collector {
  File* pipe;
  std::string* text;
  std::uint64_t limit;

  void take() const {
    std::array<char, 1U << 16U> buffer;
    const ssize_t count = read(pipe->descriptor(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) return;
    if (count <= 0) {
      *pipe = File();
      return;
    }
    text->append(buffer.data(), static_cast<std::size_t>(count));
  }
  [[nodiscard]] bool too_much() const noexcept { return text->size() > limit; }
};

enum class Ending { by_itself, interrupted, too_much };

Ending collect(const std::array<Collector, 2>& streams, const CommandOptions& options) {
  while (streams[0].pipe->is_open() || streams[1].pipe->is_open()) {
    std::array<pollfd, 2> polled{};
    for (std::size_t i = 0; i < streams.size(); ++i) {
      polled[i] = {streams[i].pipe->descriptor(), POLLIN, 0};  // -1 is passed over
    }
    poll(polled.data(), polled.size(), poll_milliseconds);
    for (std::size_t i = 0; i < streams.size(); ++i) {
      if (polled[i].revents != 0) streams[i].take();
      if (streams[i].too_much()) return Ending::too_much;
    }
    if (HeldSignals::any_waiting()) return Ending::interrupted;
    if (options.while_waiting) options.while_waiting();
  }
  return Ending::by_itself;
}

int wait_for(pid_t child) noexcept {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int start_failure(const Pipe& failure) noexcept {
  int reason = 0;
  const ssize_t count = read(failure.read_end.descriptor(), &reason, sizeof reason);
  return count == sizeof reason ? reason : 0;
}

}  // namespace

Result<CommandResult> run_command(const std::vector<std::string>& words,
                                  const CommandOptions& options) {
  Start start;
  start.words = words;
  start.environment = environment_of(options);
  start.word_pointers = pointers_to(start.words);
  start.environment_pointers = pointers_to(start.environment);
  if (!options.folder.empty()) start.folder = options.folder.c_str();
  start.parent = getpid();
  if (!start.output.make() || !start.errors.make() || !start.failure.make()) {
    return file_error("start", words[0], errno);
  }
  const pid_t child = fork();
  if (child < 0) return file_error("start", words[0], errno);
  if (child == 0) become(start);
  for (Pipe* pipe : {&start.output, &start.errors, &start.failure}) pipe->write_end = File();

  CommandResult result;
  const std::array<Collector, 2> streams{
      Collector{&start.output.read_end, &result.output, options.output_limit.count},
      Collector{&start.errors.read_end, &result.errors, options.output_limit.count}};
  const Ending ending = collect(streams, options);
  if (ending != Ending::by_itself) kill(child, SIGTERM);
  result.exit_status = wait_for(child);
  if (const int reason = start_failure(start.failure); reason != 0) {
    return file_error("start", words[0], reason);
  }
  if (ending == Ending::interrupted) return Error{fmt::format("{} was interrupted", words[0])};
  if (ending == Ending::too_much) return Error{fmt::format("{} wrote without end", words[0])};
  return result;
}

std::string last_line(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  return std::string(text.substr(text.rfind('\n') + 1));
}

}  // namespace lares::lab
