// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "lab/plugin/options.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>

namespace lares::lab::counting {
namespace {

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const char* last = text.data() + text.size();
  const auto [end, failure] = std::from_chars(text.data(), last, number);
  if (failure != std::errc{} || end != last) return std::nullopt;
  return number;
}

/// "2:2:0"
bool read_list(std::string_view text, std::vector<unsigned>& list) {
  list.clear();
  for (;;) {
    const auto colon = text.find(':');
    const auto number = number_of<unsigned>(text.substr(0, colon));
    if (!number) return false;
    list.push_back(*number);
    if (colon == std::string_view::npos) return true;
    text.remove_prefix(colon + 1);
  }
}

bool read_bytes(std::string_view text, std::uint64_t& bytes) {
  const auto number = number_of<std::uint64_t>(text);
  bytes = number.value_or(0);
  return number.has_value();
}

bool read_sharing(std::string_view text, bool& per_package) {
  per_package = text == "package";
  return per_package || text == "node";
}

bool read_path(std::string_view text, std::string& path) {
  path = text;
  return !path.empty();
}

bool take(Options& options, std::string_view name, std::string_view value) {
  if (name == "cpus") return read_list(value, options.cpus);
  if (name == "packages") return read_list(value, options.packages);
  if (name == "l2") return read_bytes(value, options.l2_bytes);
  if (name == "l3") return read_bytes(value, options.l3_bytes);
  if (name == "l3-per") return read_sharing(value, options.l3_per_package);
  if (name == "map") return read_path(value, options.map);
  if (name == "result") return read_path(value, options.result);
  return false;
}

/// Numbers the groups 0, 1, ... in the order of their first members.
std::vector<unsigned> renumbered(const std::vector<unsigned>& groups) {
  std::vector<unsigned> seen;
  std::vector<unsigned> numbers;
  for (const unsigned group : groups) {
    const auto at = std::find(seen.begin(), seen.end(), group);
    numbers.push_back(static_cast<unsigned>(at - seen.begin()));
    if (at == seen.end()) seen.push_back(group);
  }
  return numbers;
}

}  // namespace

std::string take_option(Options& options, std::string_view argument) {
  const auto equals = std::min(argument.find('='), argument.size());
  const auto value = argument.substr(std::min(equals + 1, argument.size()));
  if (take(options, argument.substr(0, equals), value)) return "";
  return "the counter does not understand its argument \"" + std::string(argument) + "\"";
}

std::string check_options(const Options& options) {
  if (options.cpus.empty()) return "the counter was not told the vCPUs of the nodes (cpus=)";
  if (!options.packages.empty() && options.packages.size() != options.cpus.size()) {
    return "the counter was told a package for " + std::to_string(options.packages.size()) +
           " nodes, but there are " + std::to_string(options.cpus.size());
  }
  if (options.l2_bytes == 0 || options.l2_bytes % l2_unit != 0 || options.l2_bytes > max_cache) {
    return "an L2 of " + std::to_string(options.l2_bytes) +
           " bytes cannot be counted: accepted are"
           " multiples of " +
           std::to_string(l2_unit) + " up to " + std::to_string(max_cache);
  }
  if (options.l3_bytes % l3_unit != 0 || options.l3_bytes > max_cache) {
    return "an L3 of " + std::to_string(options.l3_bytes) +
           " bytes cannot be counted: accepted are"
           " 0 and multiples of " +
           std::to_string(l3_unit) + " up to " + std::to_string(max_cache);
  }
  std::uint64_t cpus = 0;
  for (const unsigned count : options.cpus) cpus += count;
  if (cpus + options.cpus.size() > Directory::max_agents) {
    return "the counter takes up to " + std::to_string(Directory::max_agents) +
           " vCPUs and nodes together, not " + std::to_string(cpus + options.cpus.size());
  }
  if (options.map.empty()) return "the counter was not told the address map (map=)";
  if (options.result.empty()) return "the counter was not told where to write (result=)";
  return "";
}

Layout layout_of(const Options& options) {
  Layout layout;
  layout.nodes = static_cast<Node>(options.cpus.size());
  layout.l2_bytes = options.l2_bytes;
  layout.l3_bytes = options.l3_bytes;
  std::vector<unsigned> groups;
  for (Node node = 0; node < layout.nodes; ++node) {
    layout.node_of_vcpu.insert(layout.node_of_vcpu.end(), options.cpus[node], node);
    const bool grouped = options.l3_per_package && !options.packages.empty();
    groups.push_back(grouped ? options.packages[node] : node);
  }
  if (options.l3_bytes > 0) layout.l3_of_node = renumbered(groups);
  return layout;
}

}  // namespace lares::lab::counting
