#include "lab/guest_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "lab/guest_memory.hpp"
#include "lab/guest_presets.hpp"
#include "lab/sizes.hpp"

namespace lares::lab {
namespace {

/// The parts of `text` between commas; one empty part for an empty text.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

std::optional<Error> set_cache(GuestCaches& caches, std::string_view key, std::string_view value) {
  if (key == "l3-per") {
    if (value != "node" && value != "package") {
      return Error{
          fmt::format("--cache: \"l3-per={}\" is wrong, accepted are node and package", value)};
    }
    caches.l3_per_package = value == "package";
    return std::nullopt;
  }
  if (key != "l2" && key != "l3") {
    return Error{
        fmt::format("--cache: there is no \"{}\", accepted are l2=SIZE, l3=SIZE and "
                    "l3-per=node or package",
                    key)};
  }
  const auto size = parse_size(value);
  if (!size) return Error{fmt::format("--cache: {}={}", key, size.error().sentence)};
  (key == "l2" ? caches.l2 : caches.l3) = size.value();
  return std::nullopt;
}

/// The numbers of nodes that the options state, each with the option that does.
std::vector<std::pair<std::string, std::size_t>> stated_nodes(const GuestRequest& request) {
  std::vector<std::pair<std::string, std::size_t>> stated;
  if (request.nodes) stated.emplace_back("--nodes", *request.nodes);
  if (request.cpus_per_node.size() > 1) {
    stated.emplace_back("--cpus-per-node", request.cpus_per_node.size());
  }
  if (request.memory_per_node.size() > 1) {
    stated.emplace_back("--memory-per-node", request.memory_per_node.size());
  }
  if (request.distance_table) stated.emplace_back("--distances", request.distance_table->size);
  return stated;
}

Result<std::size_t> number_of_nodes(const GuestRequest& request) {
  const auto stated = stated_nodes(request);
  const std::size_t nodes = stated.empty() ? default_nodes : stated.front().second;
  for (const auto& [option, count] : stated) {
    if (count == nodes) continue;
    return Error{fmt::format("{} is for {} nodes and {} for {}: they must be as many",
                             stated.front().first, nodes, option, count)};
  }
  if (nodes >= 1 && nodes <= max_guest_nodes) return nodes;
  return Error{fmt::format("{} cannot be {}, accepted are 1 to {}",
                           stated.empty() ? "--nodes" : stated.front().first, nodes,
                           max_guest_nodes)};
}

std::optional<Error> set_cpus(std::vector<GuestNode>& nodes, const GuestRequest& request) {
  const std::size_t without = request.cpuless.value_or(0);
  if (without >= nodes.size()) {
    return Error{fmt::format("--cpuless cannot be {} of {} nodes: one node at least needs cpus",
                             without, nodes.size())};
  }
  const auto& asked = request.cpus_per_node;
  if (asked.size() > 1 && without > 0) {
    return Error{"--cpuless cannot stand beside a list in --cpus-per-node: write 0 in the list"};
  }
  for (std::size_t n = 0; n + without < nodes.size(); ++n) {
    nodes[n].cpus = asked.empty() ? default_cpus_per_node : asked[asked.size() > 1 ? n : 0];
  }
  for (GuestNode& node : nodes) {
    if (node.cpus == 0) node.kind = "unknown";
  }
  return std::nullopt;
}

Result<DistanceTable> distances_of(const GuestRequest& request, std::size_t nodes) {
  if (request.distance_table) return *request.distance_table;
  auto table = preset_distances(
      request.distance_preset.empty() ? "fully-connected" : request.distance_preset, nodes);
  if (!table) return Error{"--distances: " + table.error().sentence};
  return table;
}

/// Firmware can only describe packages of equal size; without them there is one package.
void set_packages(std::vector<GuestNode>& nodes, std::size_t nodes_per_package) {
  std::vector<std::uint32_t> cpus_of(nodes.size() / nodes_per_package, 0);
  for (std::size_t n = 0; n < nodes.size(); ++n) cpus_of[n / nodes_per_package] += nodes[n].cpus;
  std::uint32_t most = 0;
  for (const std::uint32_t cpus : cpus_of) most = std::max(most, cpus);
  std::uint32_t next = 0;
  for (std::size_t p = 0; p < cpus_of.size(); ++p) {
    if (cpus_of[p] == 0) continue;
    if (cpus_of[p] != most) {
      for (GuestNode& node : nodes) node.package = 0;
      return;
    }
    for (std::size_t n = 0; n < nodes_per_package; ++n) {
      GuestNode& node = nodes[p * nodes_per_package + n];
      if (node.cpus > 0) node.package = next;
    }
    ++next;
  }
}

Result<GuestPlan> checked(GuestPlan plan, Bytes host_memory) {
  if (auto error = validate(plan.guest, host_memory)) return *std::move(error);
  return plan;
}

}  // namespace

Result<GuestCaches> parse_caches(std::string_view text) {
  GuestCaches caches;
  std::vector<std::string_view> seen;
  for (const std::string_view part : split(text)) {
    const std::string_view key = part.substr(0, part.find('='));
    if (std::find(seen.begin(), seen.end(), key) != seen.end()) {
      return Error{fmt::format("--cache: \"{}\" is given twice", key)};
    }
    seen.push_back(key);
    const std::string_view value = key.size() == part.size() ? "" : part.substr(key.size() + 1);
    if (auto error = set_cache(caches, key, value)) return *std::move(error);
  }
  return caches;
}

Result<std::vector<std::uint32_t>> parse_counts(std::string_view option, std::string_view text) {
  std::vector<std::uint32_t> counts;
  for (const std::string_view part : split(text)) {
    std::uint32_t count = 0;
    const auto [stop, failure] = std::from_chars(part.data(), part.data() + part.size(), count);
    if (failure != std::errc{} || stop != part.data() + part.size()) {
      return Error{
          fmt::format("{}: \"{}\" is no number, accepted is one for all nodes, or one for "
                      "each with commas between them",
                      option, part)};
    }
    counts.push_back(count);
  }
  return counts;
}

Result<std::vector<Bytes>> parse_sizes(std::string_view option, std::string_view text) {
  std::vector<Bytes> sizes;
  for (const std::string_view part : split(text)) {
    const auto size = parse_size(part);
    if (!size) return Error{fmt::format("{}: {}", option, size.error().sentence)};
    sizes.push_back(size.value());
  }
  return sizes;
}

Result<GuestPlan> make_guest(const GuestRequest& request, Bytes host_memory) {
  const auto count = number_of_nodes(request);
  if (!count) return count.error();
  GuestPlan plan;
  Guest& guest = plan.guest;
  guest.name = fmt::format("{} nodes", count.value());
  guest.caches = request.caches;
  guest.nodes.resize(count.value());
  if (auto error = set_cpus(guest.nodes, request)) return *std::move(error);
  auto distances = distances_of(request, count.value());
  if (!distances) return distances.error();
  fit_distances(distances.value(), plan.notes);
  guest.distances = std::move(distances.value().values);
  const bool grouped = !request.distance_table && request.distance_preset == "two-level";
  set_packages(guest.nodes, grouped ? two_level_group(count.value()) : 1);
  set_memory(guest.nodes, request.memory_per_node,
             std::vector<Bytes>(count.value(), default_memory_per_node), host_memory, plan.notes);
  return checked(std::move(plan), host_memory);
}

Result<GuestPlan> make_guest(const GuestRequest& request, const machine::Machine& machine,
                             Bytes host_memory) {
  if (request.nodes || request.cpuless) {
    return Error{fmt::format("{} cannot stand beside --machine, which says what nodes there are",
                             request.nodes ? "--nodes" : "--cpuless")};
  }
  GuestPlan plan;
  plan.guest = shape_of(machine, plan.notes);
  plan.guest.caches = request.caches;
  const std::size_t count = plan.guest.nodes.size();
  for (const auto& [option, stated] : stated_nodes(request)) {
    if (stated == count) continue;
    return Error{fmt::format("{} is for {} nodes and the machine has {}", option, stated, count)};
  }
  if (count > max_guest_nodes) {
    return Error{fmt::format("machine \"{}\" has {} nodes, a guest can have up to {}", machine.name,
                             count, max_guest_nodes)};
  }
  if (request.distance_table || !request.distance_preset.empty()) {
    auto distances = distances_of(request, count);
    if (!distances) return distances.error();
    plan.guest.distances = std::move(distances.value().values);
  }
  DistanceTable table{count, std::move(plan.guest.distances)};
  fit_distances(table, plan.notes);
  plan.guest.distances = std::move(table.values);
  reduce(plan, request, host_memory);
  return checked(std::move(plan), host_memory);
}

}  // namespace lares::lab
