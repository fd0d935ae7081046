#include "simulate/graph_file.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simulate/graph_script.hpp"

namespace lares::simulate {
namespace {

using policy::AccessMode;

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
  explicit GraphReader(std::size_t domains) : domains_(domains), script_(workload_) {}

  Result<Workload> read(std::string_view text) {
    workload_.name = "recorded";
    workload_.reuses = true;
    workload_.written = true;
    for (std::size_t line = 1; !text.empty(); ++line) {
      std::string_view words = cut(text, '\n');
      const char* problem = line == 1 ? read_header(words) : read_line(words);
      if (problem != nullptr) {
        return Error{"task graph: line " + std::to_string(line) + " " + problem};
      }
    }
    if (workload_.task_count() == 0) return Error{"task graph: there is no task"};
    if (version_ == 1) {
      workload_.add_phase().dependences = true;
    } else {
      script_.barrier();
    }
    return std::move(workload_);
  }

 private:
  const char* read_header(std::string_view line) {
    version_ = line == "lares-graph 2" ? 2 : 1;
    const bool known = version_ == 2 || line == "lares-graph 1";
    return known ? nullptr : "is neither \"lares-graph 2\" nor \"lares-graph 1\"";
  }

  const char* read_line(std::string_view line) {
    if (line.empty() || line.front() == '#') return nullptr;
    const std::string_view kind = cut(line, ' ');
    if (kind == "block") return read_block(line);
    if (workload_.tasks.size() >= most_tasks) return "is one task too many";
    if (version_ == 1) {
      return kind == "task" ? read_plain_task(line) : "does not start with block, task or #";
    }
    if (kind == "loop") return read_loop(line);
    if (kind == "piece") return read_piece(line);
    if (script_.is_in_loop()) script_.barrier();
    if (kind == "task") return read_task(line, false);
    if (kind == "now") return read_task(line, true);
    if (kind == "spend") return read_spend(line);
    if (kind == "create") return read_create(line);
    if (kind == "wait") return read_wait(line);
    if (kind == "group") return read_group(line, true);
    if (kind == "end") return read_group(line, false);
    if (kind == "barrier") return read_barrier(line);
    return "does not start with create, block, task, now, spend, wait, group, end, barrier, loop, "
           "piece or #";
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

  const char* read_seconds(std::string_view& words) {
    const auto seconds = number<double>(cut(words, ' '));
    if (!seconds || !(*seconds >= 0 && *seconds <= most_seconds)) {
      return "has no duration from 0 to 1e9 seconds";
    }
    seconds_ = *seconds;
    return nullptr;
  }

  const char* read_accesses(std::string_view words) {
    accesses_.clear();
    while (!words.empty()) {
      if (const char* problem = read_access(cut(words, ' '))) return problem;
    }
    return nullptr;
  }

  const char* read_plain_task(std::string_view words) {
    if (const char* problem = read_seconds(words)) return problem;
    const std::string_view creator = cut(words, ' ');
    if (creator != "-") {
      const auto task = number<std::uint32_t>(creator);
      if (!task || *task >= workload_.tasks.size()) {
        return "has a creator that is neither - nor an earlier task";
      }
    }
    if (const char* problem = read_accesses(words)) return problem;
    workload_.add_task(seconds_);
    workload_.accesses.insert(workload_.accesses.end(), accesses_.begin(), accesses_.end());
    return nullptr;
  }

  const char* read_creator(std::string_view& words) {
    std::string_view word = cut(words, ' ');
    creator_ = Creator{};
    if (word == "-") return nullptr;
    creator_.is_thread = word.starts_with('@');
    if (creator_.is_thread) word.remove_prefix(1);
    const auto found = number<std::uint32_t>(word);
    creator_.number = found.value_or(0);
    const bool known = found && (!creator_.is_thread || *found < ScriptBuilder::most_threads);
    return known && script_.is_running(creator_)
               ? nullptr
               : "has a creator that is none of -, @THREAD and an earlier task since the barrier";
  }

  const char* read_task(std::string_view words, bool included) {
    if (const char* problem = read_seconds(words)) return problem;
    if (const char* problem = read_creator(words)) return problem;
    if (const char* problem = read_accesses(words)) return problem;
    if (create_seconds_ > 0 && !included) script_.spend(creator_, create_seconds_);
    script_.add_task(creator_, seconds_, included, accesses_);
    return nullptr;
  }

  const char* read_spend(std::string_view words) {
    if (const char* problem = read_seconds(words)) return problem;
    if (const char* problem = read_creator(words)) return problem;
    if (!words.empty()) return "has more words than spend SECONDS CREATOR";
    script_.spend(creator_, seconds_);
    return nullptr;
  }

  const char* read_create(std::string_view words) {
    if (const char* problem = read_seconds(words)) return problem;
    if (!words.empty()) return "has more words than create SECONDS";
    if (workload_.creation_told) return "is a second create SECONDS";
    workload_.creation_told = true;
    create_seconds_ = seconds_;
    return nullptr;
  }

  const char* read_wait(std::string_view words) {
    if (const char* problem = read_creator(words)) return problem;
    if (const char* problem = read_accesses(words)) return problem;
    if (accesses_.empty()) {
      script_.wait(creator_);
    } else {
      script_.wait(creator_, accesses_);
    }
    return nullptr;
  }

  const char* read_group(std::string_view words, bool begins) {
    if (const char* problem = read_creator(words)) return problem;
    if (!words.empty()) return "has more words than group CREATOR or end CREATOR";
    if (begins) {
      script_.open_group(creator_);
    } else if (!script_.close_group(creator_)) {
      return "ends a group that its creator has not begun";
    }
    return nullptr;
  }

  const char* read_barrier(std::string_view words) {
    if (!words.empty()) return "has more words than barrier";
    script_.barrier();
    return nullptr;
  }

  const char* read_loop(std::string_view words) {
    const auto iterations = number<std::uint64_t>(cut(words, ' '));
    if (!iterations || *iterations == 0) return "has no number of iterations from 1 on";
    if (!words.empty()) return "has more words than loop ITERATIONS";
    script_.begin_loop(*iterations);
    return nullptr;
  }

  const char* read_piece(std::string_view words) {
    if (!script_.is_in_loop()) return "is a piece without a loop before it";
    if (const char* problem = read_seconds(words)) return problem;
    if (const char* problem = read_accesses(words)) return problem;
    script_.add_piece(seconds_, accesses_);
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
    } else if (version_ == 2 && (mode == "x" || mode == "s")) {
      access = AccessMode::read_write;
    } else if (mode != "r") {
      return version_ == 1 ? "has an access that is none of r:BLOCK, w:BLOCK, rw:BLOCK, a:BLOCK"
                           : "has an access that is none of r:BLOCK, w:BLOCK, rw:BLOCK, x:BLOCK, "
                             "s:BLOCK, a:BLOCK";
    }
    accesses_.push_back({*block, access, bytes, mode == "s"});
    return nullptr;
  }

  std::size_t domains_;
  int version_ = 1;
  Workload workload_;
  ScriptBuilder script_;
  double create_seconds_ = 0;
  // Of the line that is read.
  double seconds_ = 0;
  Creator creator_;
  std::vector<Access> accesses_;
};

}  // namespace

Result<Workload> parse_graph(std::string_view text, std::size_t domains) {
  return GraphReader(domains).read(text);
}

}  // namespace lares::simulate
