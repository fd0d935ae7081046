#include "machine/machine.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace lares::machine {
namespace {

constexpr std::array<std::string_view, 7> level_names = {"machine", "group", "package", "numa",
                                                         "l3",      "l2",    "core"};
constexpr std::array<std::string_view, 6> memory_kinds = {"DRAM", "HBM", "CXL",
                                                          "NVM",  "GPU", "unknown"};
constexpr std::array<std::string_view, 4> distance_sources = {"slit", "measured", "levels", "file"};
constexpr std::array<std::string_view, 3> grades = {"measured", "published", "synthetic"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

template <std::size_t N>
std::string join(const std::array<std::string_view, N>& words) {
  std::string text;
  for (const std::string_view word : words) {
    if (!text.empty()) text += ", ";
    text += word;
  }
  return text;
}

using Verdict = std::optional<Error>;

Verdict broken(std::string sentence) { return Error{std::move(sentence)}; }

std::string numbered(const char* what, std::size_t index) {
  return std::string(what) + " " + std::to_string(index);
}

template <class IdType>
bool in_range(IdType id, std::size_t size) {
  return id.valid() && id.index() < size;
}

bool strictly_ascending(const std::vector<CoreId>& cores) {
  return std::adjacent_find(cores.begin(), cores.end(),
                            [](CoreId a, CoreId b) { return a >= b; }) == cores.end();
}

bool printable(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](unsigned char c) { return c < 0x20U || c == 0x7FU; });
}

Verdict check_names(const Machine& machine) {
  if (!printable(machine.name)) return broken("the machine's name holds a control character");
  for (std::size_t d = 0; d < machine.domains.size(); ++d) {
    if (!printable(machine.domains[d].name)) {
      return broken("the name of " + numbered("domain", d) + " holds a control character");
    }
  }
  return std::nullopt;
}

Verdict check_cores(const Machine& machine) {
  if (machine.cores.empty()) return broken("the machine has no core");
  std::vector<OsCpu> cpus;
  for (std::size_t c = 0; c < machine.cores.size(); ++c) {
    const Core& core = machine.cores[c];
    if (core.cpus.empty()) return broken(numbered("core", c) + " has no cpu");
    for (const OsCpu cpu : core.cpus) {
      if (!cpu.valid()) return broken(numbered("core", c) + " has a negative cpu number");
      cpus.push_back(cpu);
    }
    if (!in_range(core.domain, machine.domains.size())) {
      return broken(numbered("core", c) + " is in a domain that does not exist");
    }
  }
  std::sort(cpus.begin(), cpus.end());
  const auto twice = std::adjacent_find(cpus.begin(), cpus.end());
  if (twice == cpus.end()) return std::nullopt;
  return broken(numbered("cpu", twice->index()) + " is listed twice");
}

/// Domains and cores must tell the same story.
Verdict check_domains(const Machine& machine) {
  std::vector<std::vector<CoreId>> members(machine.domains.size());
  for (std::size_t c = 0; c < machine.cores.size(); ++c) {
    members[machine.cores[c].domain.index()].emplace_back(c);
  }
  bool seen_empty = false;
  for (std::size_t d = 0; d < machine.domains.size(); ++d) {
    const Domain& domain = machine.domains[d];
    if (domain.cores != members[d]) {
      return broken(numbered("domain", d) + " does not list the cores that say they are in it");
    }
    if (seen_empty && !domain.cores.empty()) {
      return broken(numbered("domain", d) + " has cores but comes after a domain that has none");
    }
    seen_empty = seen_empty || domain.cores.empty();
  }
  return std::nullopt;
}

/// Needs a parent that is already checked.
Verdict check_tree_cores(const Machine& machine, std::size_t n) {
  const TreeNode& node = machine.tree[n];
  if (node.cores.empty()) return broken(numbered("tree node", n) + " has no core");
  if (!strictly_ascending(node.cores)) {
    return broken(numbered("tree node", n) + " does not list its cores in order");
  }
  if (!node.cores.front().valid() || node.cores.back().index() >= machine.cores.size()) {
    return broken(numbered("tree node", n) + " lists a core that does not exist");
  }
  if (n == 0) return std::nullopt;
  const auto& above = machine.tree[static_cast<std::size_t>(node.parent)].cores;
  if (std::includes(above.begin(), above.end(), node.cores.begin(), node.cores.end())) {
    return std::nullopt;
  }
  return broken(numbered("tree node", n) + " has a core that its parent has not");
}

Verdict check_tree_shape(const Machine& machine, std::size_t n) {
  const TreeNode& node = machine.tree[n];
  if (n == 0) {
    if (node.level != Level::machine || node.parent != -1) {
      return broken("tree node 0 is not the whole machine without a parent");
    }
    if (node.cores.size() != machine.cores.size()) {
      return broken("tree node 0 does not list every core");
    }
  } else if (node.parent < 0 || static_cast<std::size_t>(node.parent) >= n) {
    return broken(numbered("tree node", n) + " does not come after its parent");
  } else if (node.level == Level::machine || node.level == Level::core) {
    return broken(numbered("tree node", n) + " has the level " +
                  std::string(level_name(node.level)) +
                  ", accepted are numa, package, l3, l2, group");
  }
  return check_tree_cores(machine, n);
}

Verdict check_tree_domain(const Machine& machine, std::size_t n, std::vector<bool>& seen) {
  const TreeNode& node = machine.tree[n];
  if (!node.domain.valid()) return std::nullopt;
  if (node.domain.index() >= machine.domains.size()) {
    return broken(numbered("tree node", n) + " is a domain that does not exist");
  }
  const std::size_t d = node.domain.index();
  if (node.level != machine.domain_level) {
    return broken(numbered("tree node", n) + " is a domain but its level is not that of domains");
  }
  if (seen[d]) return broken(numbered("domain", d) + " has two tree nodes");
  if (node.cores != machine.domains[d].cores) {
    return broken(numbered("tree node", n) + " and " + numbered("domain", d) +
                  " do not have the same cores");
  }
  seen[d] = true;
  return std::nullopt;
}

/// No core may be below two children of the same node.
Verdict check_siblings(const Machine& machine) {
  std::vector<std::pair<std::int32_t, CoreId>> below;
  for (const TreeNode& node : machine.tree) {
    for (const CoreId core : node.cores) below.emplace_back(node.parent, core);
  }
  std::sort(below.begin(), below.end());
  const auto twice = std::adjacent_find(below.begin(), below.end());
  if (twice == below.end()) return std::nullopt;
  return broken(numbered("core", twice->second.index()) + " is in two children of " +
                numbered("tree node", static_cast<std::size_t>(twice->first)));
}

Verdict check_tree(const Machine& machine) {
  if (machine.tree.empty()) return broken("the tree has no root");
  std::vector<bool> seen(machine.domains.size(), false);
  for (std::size_t n = 0; n < machine.tree.size(); ++n) {
    if (auto verdict = check_tree_shape(machine, n)) return verdict;
    if (auto verdict = check_tree_domain(machine, n, seen)) return verdict;
  }
  for (std::size_t d = 0; d < machine.domains.size(); ++d) {
    if (!machine.domains[d].cores.empty() && !seen[d]) {
      return broken(numbered("domain", d) + " has no tree node");
    }
  }
  return check_siblings(machine);
}

Verdict check_memory(const Machine& machine) {
  OsNode previous;
  for (const MemoryNode& memory : machine.memory) {
    if (!memory.node.valid()) return broken("a memory node has a negative number");
    const std::string name = numbered("memory node", memory.node.index());
    if (memory.node <= previous) return broken(name + " is not in ascending order");
    if (!contains(memory_kinds, memory.kind)) {
      return broken(name + " has an unknown kind, accepted are " + join(memory_kinds));
    }
    if (memory.domain.valid() && memory.domain.index() >= machine.domains.size()) {
      return broken(name + " is in a domain that does not exist");
    }
    if (memory.free > memory.total) return broken(name + " has more free memory than memory");
    previous = memory.node;
  }
  return std::nullopt;
}

Verdict check_distances(const Machine& machine) {
  const Distances& distances = machine.distances;
  const std::size_t size = machine.domains.size();
  if (distances.size != size || distances.values.size() != size * size) {
    return broken("the distance matrix does not have " + std::to_string(size) + " rows of " +
                  std::to_string(size) + " values");
  }
  if (!contains(distance_sources, distances.source)) {
    return broken("the distances have an unknown source, accepted are " + join(distance_sources));
  }
  for (std::size_t row = 0; row < size; ++row) {
    const auto first = distances.values.begin() + static_cast<std::ptrdiff_t>(row * size);
    const auto [low, high] = std::minmax_element(first, first + static_cast<std::ptrdiff_t>(size));
    if (*low < 1 || *high > max_distance) {
      return broken(numbered("distance row", row) + " has a value outside 1 to " +
                    std::to_string(max_distance));
    }
  }
  return std::nullopt;
}

Verdict check_grade(const Machine& machine) {
  if (machine.grade.empty() || contains(grades, machine.grade)) return std::nullopt;
  return broken("the machine has an unknown grade, accepted are " + join(grades));
}

Verdict check_matrix(const std::vector<std::uint32_t>& values, const std::string& name,
                     std::size_t size, std::uint32_t high) {
  if (values.empty()) return std::nullopt;
  if (values.size() != size * size) {
    return broken("the " + name + " matrix does not have " + std::to_string(size) + " rows of " +
                  std::to_string(size) + " values");
  }
  if (*std::max_element(values.begin(), values.end()) <= high) return std::nullopt;
  return broken("the " + name + " matrix has a value above " + std::to_string(high));
}

Verdict check_performance(const Machine& machine) {
  const Performance& performance = machine.performance;
  const std::size_t size = machine.domains.size();
  if (auto verdict = check_matrix(performance.latency_ns, "latency", size, max_latency_ns)) {
    return verdict;
  }
  return check_matrix(performance.bandwidth_mb_s, "bandwidth", size, max_bandwidth_mb_s);
}

}  // namespace

std::string_view level_name(Level level) noexcept {
  return level_names[static_cast<std::size_t>(level)];
}

Result<Level> parse_level(std::string_view name) {
  for (const Level level : {Level::numa, Level::package, Level::l3, Level::l2, Level::group}) {
    if (name == level_name(level)) return level;
  }
  return Error{"unknown domain level \"" + std::string(name) +
               "\", accepted are numa, package, l3, l2, group"};
}

std::size_t Machine::domains_with_cores() const noexcept {
  const auto first_empty =
      std::find_if(domains.begin(), domains.end(), [](const Domain& d) { return d.cores.empty(); });
  return static_cast<std::size_t>(first_empty - domains.begin());
}

CoreId Machine::core_of(OsCpu cpu) const noexcept {
  for (std::size_t c = 0; c < cores.size(); ++c) {
    const auto& cpus = cores[c].cpus;
    if (std::find(cpus.begin(), cpus.end(), cpu) != cpus.end()) return CoreId{c};
  }
  return {};
}

DomainId Machine::domain_of(OsNode node) const noexcept {
  if (!node.valid()) return {};
  for (std::size_t d = 0; d < domains.size(); ++d) {
    if (domains[d].node == node) return DomainId{d};
  }
  for (const MemoryNode& entry : memory) {
    if (entry.node == node) return entry.domain;
  }
  return {};
}

std::optional<Error> validate(const Machine& machine) {
  if (!parse_level(level_name(machine.domain_level))) {
    return broken("the domain level is " + std::string(level_name(machine.domain_level)) +
                  ", accepted are numa, package, l3, l2, group");
  }
  for (const auto check : {check_names, check_grade, check_cores, check_domains, check_tree,
                           check_memory, check_distances, check_performance}) {
    if (auto verdict = check(machine)) return verdict;
  }
  return std::nullopt;
}

}  // namespace lares::machine
