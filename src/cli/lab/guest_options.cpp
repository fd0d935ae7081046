#include "cli/lab/guest_options.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "base/file_stream.hpp"
#include "cli/machine_presets.hpp"
#include "machine/discover.hpp"

namespace lares::cli {
namespace {

constexpr std::size_t max_distances_bytes = 1U << 20U;

Result<std::string> read_distances(const std::string& path) {
  std::string text;
  if (read_text(path, max_distances_bytes, text)) return text;
  return Error{fmt::format("--distances: cannot read file \"{}\": {}", path,
                           errno == EFBIG ? "it is larger than 1 MiB" : std::strerror(errno))};
}

/// One number, where only one makes sense.
Result<std::optional<std::uint32_t>> number(const char* option, const std::string& text) {
  if (text.empty()) return std::optional<std::uint32_t>{};
  const auto counts = lab::parse_counts(option, text);
  if (counts && counts.value().size() == 1) {
    return std::optional<std::uint32_t>{counts.value().front()};
  }
  return Error{fmt::format("{}: \"{}\" is no number", option, text)};
}

/// A file of that name goes before a preset.
std::optional<Error> set_distances(lab::GuestRequest& request, const std::string& word) {
  std::error_code failure;
  const bool is_path = word.find_first_of("/.") != std::string::npos;
  if (word.empty() || (!is_path && !std::filesystem::exists(word, failure))) {
    request.distance_preset = word;
    return std::nullopt;
  }
  const auto text = read_distances(word);
  if (!text) return text.error();
  auto table = lab::parse_distances(text.value(), word);
  if (!table) return Error{"--distances: " + table.error().sentence};
  request.distance_table = std::move(table.value());
  return std::nullopt;
}

template <class Value, class Target>
std::optional<Error> take(Result<Value> result, Target& target) {
  if (!result) return result.error();
  target = std::move(result.value());
  return std::nullopt;
}

std::optional<Error> set_lists(lab::GuestRequest& request, const GuestOptions& options) {
  std::optional<Error> error;
  if (!options.cpus_per_node.empty()) {
    error =
        take(lab::parse_counts("--cpus-per-node", options.cpus_per_node), request.cpus_per_node);
  }
  if (!error && !options.memory_per_node.empty()) {
    error = take(lab::parse_sizes("--memory-per-node", options.memory_per_node),
                 request.memory_per_node);
  }
  if (!error && !options.cache.empty()) {
    error = take(lab::parse_caches(options.cache), request.caches);
  }
  return error;
}

Result<lab::GuestRequest> request_of(const GuestOptions& options) {
  lab::GuestRequest request;
  if (auto error = take(number("--nodes", options.nodes), request.nodes)) return *error;
  if (auto error = take(number("--cpuless", options.cpuless), request.cpuless)) return *error;
  if (auto error = set_lists(request, options)) return *error;
  if (auto error = set_distances(request, options.distances)) return *error;
  return request;
}

}  // namespace

void add_guest_options(CLI::App& command, GuestOptions& options) {
  const auto add = [&](const char* name, std::string& value, const char* type,
                       const std::string& text) {
    command.add_option(name, value, text)->type_name(type);
  };
  add("--machine", options.machine, "FILE",
      "The machine that the guest is shaped as: a preset that `lares lab list` shows, a Lares "
      "machine file, an hwloc XML file, or synthetic:DESCRIPTION");
  add("--nodes", options.nodes, "N", "How many NUMA nodes, without --machine (default: 4)");
  add("--cpus-per-node", options.cpus_per_node, "K",
      "Cpus of each node that has some (default: 2), or one number per node with commas between");
  add("--memory-per-node", options.memory_per_node, "SIZE",
      "Memory of each node, such as 512M or 1G (default: 256M), or one size per node");
  add("--distances", options.distances, "FILE",
      "The distances between nodes: a file with a matrix, or " + lab::distance_preset_names());
  add("--cpuless", options.cpuless, "N", "How many nodes at the end have memory only");
}

void add_cache_option(CLI::App& command, GuestOptions& options) {
  command
      .add_option("--cache", options.cache,
                  "The caches that --count assumes: l2=SIZE per cpu (default: 512K), l3=SIZE "
                  "(default: none), l3-per=node or l3-per=package")
      ->type_name("SIZES");
}

Result<lab::GuestPlan> load_guest(const GuestOptions& options, Bytes host_memory) {
  const auto request = request_of(options);
  if (!request) return request.error();
  if (options.machine.empty()) return lab::make_guest(request.value(), host_memory);
  const auto source = resolve_machine(options.machine);
  if (!source) return source.error();
  const auto machine = machine::discover(machine::parse_source(source.value()));
  if (!machine) return machine.error();
  return lab::make_guest(request.value(), machine.value(), host_memory);
}

}  // namespace lares::cli
