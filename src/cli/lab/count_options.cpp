#include "cli/lab/count_options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "base/file_stream.hpp"
#include "cli/commands.hpp"
#include "cli/companion.hpp"
#include "cli/lab/guest_run.hpp"
#include "cli/output.hpp"
#include "lab/counts/counter.hpp"
#include "lab/image/command.hpp"

namespace lares::cli {
namespace {

/// More than 64 nodes and 256 regions need.
constexpr Bytes most_counts{64 * lab::mebibyte.count};

void check_qemu() {
  const auto version = lab::run_command({"qemu-system-x86_64", "--version"});
  // Whether there is a QEMU at all is said by the session.
  if (!version) return;
  if (const auto problem = lab::check_version_for_counting(version.value().output)) {
    say(problem->sentence);
    throw ExitStatus{status_lab_failed};
  }
}

std::string find_counter() {
  std::string path = find_companion(own_folder(), lab::counter_name);
  if (path.empty()) {
    say(fmt::format("--count needs {}, which is not in {}; install Lares whole", lab::counter_name,
                    fmt::join(companion_candidates(own_folder(), lab::counter_name), " or ")));
    throw ExitStatus{status_lab_failed};
  }
  return path;
}

/// QEMU is a process of the same user, so it may open this process' files.
std::string path_of(const lab::File& file) {
  return fmt::format("/proc/{}/fd/{}", getpid(), file.descriptor());
}

bool write_json(const std::string& path, const lab::Counts& counts) {
  const bool written = write_text(path, lab::counts_json(counts));
  if (!written) say(lab::file_error("write", path, errno).sentence);
  return written;
}

}  // namespace

void add_count_options(CLI::App& command, CountOptions& options) {
  command.add_flag("--count", options.count,
                   "Count the cache lines that each node's programs fetch from each node's memory");
  command
      .add_option("--json", options.json, "Write the counts to FILE, for programs and --compare")
      ->type_name("FILE");
  command
      .add_option("--compare", options.compare,
                  "Show the counts beside those that an earlier run wrote with --json")
      ->type_name("FILE");
}

lab::NamedCounts load_counts(const std::string& path) {
  const std::string text = expect(lab::read_file(path, most_counts));
  return {path, expect(lab::read_counts(text, fmt::format("\"{}\"", path)))};
}

CountedRun::CountedRun(const CountOptions& options, const lab::Guest& guest,
                       std::vector<std::string> command)
    : options_(options), guest_(guest), command_(std::move(command)) {
  if (!options_.count) return;
  if (!options_.compare.empty()) earlier_ = load_counts(options_.compare);
  check_qemu();
  const std::string plugin = find_counter();
  map_ = expect_of_lab(lab::memory_file("lares-lab-map"));
  result_ = expect_of_lab(lab::memory_file("lares-lab-counts"));
  argument_ = expect(lab::counter_argument(guest_, {plugin, path_of(map_), path_of(result_)}));
}

std::optional<lab::CountingHook> CountedRun::hook() {
  if (!options_.count) return std::nullopt;
  return lab::CountingHook{
      argument_, [this](std::string_view ram_blocks) -> std::optional<Error> {
        const auto map = lab::address_map(guest_, ram_blocks);
        if (!map) return map.error();
        if (ftruncate(map_.descriptor(), 0) != 0 || lseek(map_.descriptor(), 0, SEEK_SET) != 0) {
          return lab::file_error("empty", "the address map", errno);
        }
        return lab::write_all(map_, map.value(), "the address map");
      }};
}

Result<lab::Counts> CountedRun::counts() const {
  const auto text = lab::read_file(path_of(result_), most_counts);
  if (!text) return text.error();
  if (text.value().empty()) return Error{"the guest ended before anything was counted"};
  auto counts = lab::read_counts(text.value(), "the run");
  if (!counts) return counts.error();
  counts.value().guest = guest_.name;
  counts.value().command = command_;
  return counts;
}

bool CountedRun::show() const {
  if (!options_.count) return true;
  const auto counted = counts();
  if (!counted) {
    say(counted.error().sentence);
    return false;
  }
  const lab::Counts& counts = counted.value();
  const bool colour = wants_colour(stderr);
  fmt::print(stderr, "{}", lab::counts_text(counts, colour));
  for (const std::string& note : lab::counts_notes(counts)) say(note);
  if (earlier_) {
    fmt::print(stderr, "{}", lab::comparison_text(*earlier_, {"this run", counts}, colour));
  }
  return options_.json.empty() || write_json(options_.json, counts);
}

}  // namespace lares::cli
