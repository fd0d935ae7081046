#include "cli/launch/stall.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>

#include "analysis/stats_file.hpp"
#include "cli/launch/symbols.hpp"
#include "runtime/counters.hpp"

namespace lares::cli {
namespace {

std::optional<std::string> read_text(const std::string& path) {
  constexpr std::size_t most = std::size_t{1} << 20U;  // a page has a few KiB
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; text.size() < most && (got = ::read(file, buffer, sizeof(buffer))) > 0;) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  close(file);
  return text;
}

std::vector<std::string> names_with(const std::string& folder, std::string_view prefix) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(opendir(folder.c_str()), &closedir);
  if (!listing) return names;
  while (const dirent* entry = readdir(listing.get())) {
    if (std::string_view(entry->d_name).starts_with(prefix)) names.emplace_back(entry->d_name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// The number behind the first dot.
std::optional<pid_t> process_in(std::string_view name) {
  name.remove_prefix(std::min(name.find('.'), name.size() - 1) + 1);
  pid_t process = 0;
  const auto read = std::from_chars(name.data(), name.data() + name.size(), process);
  if (read.ec != std::errc{} || process <= 0) return std::nullopt;
  return process;
}

/// `line` with names in place of its addresses, which are written as <0x...>.
std::string named(std::string_view line, Symbols& symbols) {
  std::string text;
  while (true) {
    const std::size_t at = line.find("<0x");
    const std::size_t end = at == std::string_view::npos ? at : line.find('>', at);
    if (end == std::string_view::npos) return text + std::string(line);
    std::uint64_t address = 0;
    std::from_chars(line.data() + at + 3, line.data() + end, address, 16);
    text += line.substr(0, at);
    text += address == 0 ? "of unknown code" : symbols.name(address);
    line.remove_prefix(end + 1);
  }
}

std::string stats_path(const std::string& session, pid_t process) {
  return fmt::format("{}/stats.{}", session, process);
}

/// What the process says of itself.
std::optional<analysis::ProcessStats> stats_of(const std::string& session, pid_t process) {
  const auto text = read_text(stats_path(session, process));
  if (!text) return std::nullopt;
  auto stats = analysis::parse_stats(std::as_bytes(std::span(*text)));
  if (!stats) return std::nullopt;
  return std::move(stats.value());
}

}  // namespace

Result<std::chrono::milliseconds> parse_stall(std::string_view word) {
  constexpr double least = 0.1;
  constexpr double most = 1e6;
  double seconds = 0;
  const auto read = std::from_chars(word.data(), word.data() + word.size(), seconds);
  if (read.ec != std::errc{} || read.ptr != word.data() + word.size() || !(seconds >= least) ||
      seconds > most) {
    return Error{fmt::format(
        "unknown time \"{}\", accepted is a number of seconds from 0.1 to 1000000", word)};
  }
  return std::chrono::milliseconds(std::llround(seconds * 1000));
}

std::string readable_page(const std::string& page, pid_t process, const std::string& session,
                          std::string_view machine, std::string_view command) {
  Symbols symbols(process);
  std::string text;
  for (std::string_view rest = page; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string line = named(rest.substr(0, end), symbols);
    text += "lares: " + analysis::printable(line) + "\n";
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  const auto stats = stats_of(session, process);
  text += "lares:   to report this: lares " LARES_VERSION;
  if (stats) text += fmt::format(", {}, policy {}", stats->runtime, stats->policy);
  if (!machine.empty())
    text += fmt::format(", machine {}", analysis::printable(std::string(machine)));
  text += ", command " +
          analysis::printable(command.empty() && stats ? stats->command : std::string(command));
  return text + "\n";
}

bool ask_to_watch(const std::string& session, std::chrono::milliseconds limit) {
  std::ofstream file(session + "/stall");
  file << limit.count() << "\n";
  return static_cast<bool>(file.flush());
}

std::vector<std::pair<pid_t, std::string>> take_stall_pages(const std::string& session) {
  std::vector<std::pair<pid_t, std::string>> pages;
  for (const std::string& name : names_with(session, "stall.")) {
    const std::string path = fmt::format("{}/{}", session, name);
    const auto process = process_in(name);
    const auto text = read_text(path);
    unlink(path.c_str());
    if (process && text) pages.emplace_back(*process, *text);
  }
  return pages;
}

std::optional<std::string> session_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/environ", process), std::ios::binary);
  constexpr std::string_view wanted = "LARES_SESSION=";
  for (std::string entry; std::getline(file, entry, '\0');) {
    if (entry.starts_with(wanted)) return entry.substr(wanted.size());
  }
  return std::nullopt;
}

std::vector<pid_t> processes_of(const std::string& session) {
  std::vector<pid_t> processes;
  for (const std::string& name : names_with(session, "stats.")) {
    if (const auto process = process_in(name)) processes.push_back(*process);
  }
  std::sort(processes.begin(), processes.end());
  return processes;
}

Result<std::uint32_t> ask_for_page(const std::string& session, pid_t process) {
  const Error refused{fmt::format("process {} has no counters of this version of Lares", process)};
  if (!stats_of(session, process)) return refused;
  const std::string path = stats_path(session, process);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return refused;
  void* const memory = mmap(nullptr, runtime::CountersFile::slots_offset, PROT_READ | PROT_WRITE,
                            MAP_SHARED, file, 0);
  close(file);
  if (memory == MAP_FAILED) return refused;
  auto& counters = *static_cast<runtime::CountersFile*>(memory);
  const std::uint32_t number = counters.stall_request.fetch_add(1, std::memory_order_relaxed) + 1;
  munmap(memory, runtime::CountersFile::slots_offset);
  return number;
}

std::optional<std::string> take_asked_page(const std::string& session, pid_t process,
                                           std::uint32_t number) {
  const std::string prefix = fmt::format("asked.{}.", process);
  std::optional<std::string> found;
  for (const std::string& name : names_with(session, prefix)) {
    const std::string path = fmt::format("{}/{}", session, name);
    std::uint32_t written = 0;
    std::from_chars(name.data() + prefix.size(), name.data() + name.size(), written);
    // Who asked later is answered for all before; who asked before us may still be reading.
    if (written >= number) {
      found = read_text(path);
    } else if (number - written > 1) {
      unlink(path.c_str());
    }
  }
  return found;
}

}  // namespace lares::cli
