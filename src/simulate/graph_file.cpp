#include "simulate/graph_file.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

namespace lares::simulate {
namespace {

using policy::AccessMode;

constexpr std::string_view header = "lares-graph 1";
constexpr double most_seconds = 1e9;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 50U;
constexpr std::size_t most_tasks = 100'000'000;

/// Cuts the next part up to `separator` off `text`.
std::string_view cut(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(text.size(), end + 1));
  return part;
}

template <class Number>
std::optional<Number> number(std::string_view word) {
  Number value{};
  const char* end = word.data() + word.size();
  const auto [at, status] = std::from_chars(word.data(), end, value);
  if (status != std::errc{} || at != end) return std::nullopt;
  return value;
}

class GraphReader {
 public:
  explicit GraphReader(std::size_t domains) : domains_(domains) {}

  Result<Workload> read(std::string_view text) {
    workload_.name = "recorded";
    workload_.reuses = true;
    for (std::size_t line = 1; !text.empty(); ++line) {
      std::string_view words = cut(text, '\n');
      const char* problem = line == 1 ? read_header(words) : read_line(words);
      if (problem != nullptr) {
        return Error{"task graph: line " + std::to_string(line) + " " + problem};
      }
    }
    if (workload_.tasks.empty()) return Error{"task graph: there is no task"};
    workload_.add_phase().dependences = true;
    return std::move(workload_);
  }

 private:
  static const char* read_header(std::string_view line) {
    return line == header ? nullptr : "is not \"lares-graph 1\"";
  }

  const char* read_line(std::string_view line) {
    if (line.empty() || line.front() == '#') return nullptr;
    const std::string_view kind = cut(line, ' ');
    if (kind == "block") return read_block(line);
    if (kind == "task") return read_task(line);
    return "does not start with block, task or #";
  }

  const char* read_block(std::string_view words) {
    const auto bytes = number<std::uint64_t>(cut(words, ' '));
    const std::string_view home = cut(words, ' ');
    if (!bytes || *bytes > most_bytes) return "has no number of bytes up to 2^50";
    if (!words.empty()) return "has more words than block BYTES HOME";
    Block block{Bytes{*bytes}, DomainId{}, {}};
    if (home != "-") {
      const auto domain = number<std::uint32_t>(home);
      if (!domain) return "has a home that is neither a number nor -";
      block.home = DomainId{*domain % domains_};
    }
    workload_.blocks.push_back(block);
    return nullptr;
  }

  const char* read_task(std::string_view words) {
    if (workload_.tasks.size() >= most_tasks) return "is one task too many";
    const auto seconds = number<double>(cut(words, ' '));
    if (!seconds || !(*seconds >= 0 && *seconds <= most_seconds)) {
      return "has no duration from 0 to 1e9 seconds";
    }
    const std::string_view creator = cut(words, ' ');
    if (creator != "-") {
      const auto task = number<std::uint32_t>(creator);
      if (!task || *task >= workload_.tasks.size()) {
        return "has a creator that is neither - nor an earlier task";
      }
    }
    workload_.add_task(*seconds);
    while (!words.empty()) {
      if (const char* problem = read_access(cut(words, ' '))) return problem;
    }
    return nullptr;
  }

  const char* read_access(std::string_view word) {
    const std::string_view mode = cut(word, ':');
    const auto block = number<std::uint32_t>(cut(word, ':'));
    if (!block || *block >= workload_.blocks.size())
      return "uses a block that is not defined above";
    auto bytes = static_cast<double>(workload_.blocks[*block].bytes.count);
    if (!word.empty()) {
      const auto given = number<std::uint64_t>(word);
      if (!given || *given > most_bytes) return "has an access with a wrong number of bytes";
      bytes = static_cast<double>(*given);
    }
    AccessMode access = AccessMode::read;
    if (mode == "w") {
      access = AccessMode::write;
    } else if (mode == "rw") {
      access = AccessMode::read_write;
    } else if (mode == "a") {
      access = AccessMode::affinity;
    } else if (mode != "r") {
      return "has an access that is none of r:BLOCK, w:BLOCK, rw:BLOCK, a:BLOCK";
    }
    workload_.accesses.push_back({*block, access, bytes});
    return nullptr;
  }

  std::size_t domains_;
  Workload workload_;
};

}  // namespace

Result<Workload> parse_graph(std::string_view text, std::size_t domains) {
  return GraphReader(domains).read(text);
}

}  // namespace lares::simulate
