#include "api/machine_here.hpp"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string>

#include "base/read_file.hpp"

namespace lares::api {
namespace {

using machine::Machine;

std::string node_file(const Sources& sources, int node, const char* name) {
  return read_file(sources.nodes + "/node" + std::to_string(node) + "/" + name);
}

/// The nodes whose memory this process may use.
std::vector<int> allowed_nodes(const Sources& sources) {
  std::vector<int> nodes = parse_list(read_file(sources.nodes + "/has_memory"));
  const std::string status = read_file(sources.status);
  constexpr std::string_view name = "Mems_allowed_list:";
  const std::size_t at = status.find(name);
  if (at == std::string::npos) return nodes;
  const std::size_t list =
      std::min(status.find_first_not_of(" \t", at + name.size()), status.size());
  const std::vector<int> allowed = parse_list(std::string_view(status).substr(list));
  std::erase_if(nodes, [&](int node) {
    return std::find(allowed.begin(), allowed.end(), node) == allowed.end();
  });
  return nodes;
}

/// The processors that this process was given, before it bound any of its threads.
struct GivenCpus {
  cpu_set_t set;
  bool known;  ///< false on machines with more processors than the set holds: then all are ours
  [[nodiscard]] bool has(int cpu) const {
    return !known || (cpu < CPU_SETSIZE && CPU_ISSET(static_cast<std::size_t>(cpu), &set));
  }
};

const GivenCpus& given_cpus() {
  static const GivenCpus given = [] {
    GivenCpus result;
    CPU_ZERO(&result.set);
    result.known = sched_getaffinity(0, sizeof(result.set), &result.set) == 0;
    return result;
  }();
  return given;
}

__attribute__((constructor)) void look_while_nothing_is_bound() { given_cpus(); }

void add_domain(Machine& machine, int node, const std::vector<int>& cpus) {
  const DomainId self{machine.domains.size()};
  machine::Domain domain;
  domain.node = OsNode{node};
  domain.name = "numa " + std::to_string(node);
  for (const int cpu : cpus) {
    domain.cores.emplace_back(machine.cores.size());
    machine.cores.push_back({{OsCpu{cpu}}, self});
  }
  machine.domains.push_back(std::move(domain));
}

/// The numbers of a line with blanks between them. Stops at what it does not understand.
std::vector<std::uint32_t> parse_row(std::string_view text) {
  std::vector<std::uint32_t> values;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::uint32_t value = 0;;) {
    while (at < end && *at == ' ') ++at;
    const auto [after, error] = std::from_chars(at, end, value);
    if (error != std::errc{}) return values;
    values.push_back(value);
    at = after;
  }
}

/// From each domain to each, or nothing if the kernel does not tell. A row has a value for every
/// online node; those of nodes that are no domains are left out.
std::vector<std::uint32_t> told_distances(const Sources& sources, const Machine& machine) {
  const std::vector<int> online = parse_list(read_file(sources.nodes + "/online"));
  std::vector<std::uint32_t> all;
  for (const machine::Domain& from : machine.domains) {
    const auto row = parse_row(node_file(sources, from.node.value(), "distance"));
    for (const machine::Domain& to : machine.domains) {
      const auto column = std::find(online.begin(), online.end(), to.node.value());
      const auto index = static_cast<std::size_t>(column - online.begin());
      if (row.size() != online.size() || index >= row.size() || row[index] == 0) return {};
      all.push_back(std::min(row[index], machine::max_distance));
    }
  }
  return all;
}

void add_distances(Machine& machine, const Sources& sources) {
  machine::Distances& distances = machine.distances;
  distances.size = machine.domains.size();
  distances.values = told_distances(sources, machine);
  distances.source = distances.values.empty() ? "levels" : "slit";
  if (!distances.values.empty()) return;
  constexpr std::uint32_t local = 10;
  constexpr std::uint32_t remote = 20;
  distances.values.assign(distances.size * distances.size, remote);
  for (std::size_t d = 0; d < distances.size; ++d) {
    distances.values[d * distances.size + d] = local;
  }
}

std::optional<Machine> of_this_run() {
  const char* const session = std::getenv("LARES_SESSION");
  if (session == nullptr) return std::nullopt;
  Result<Machine> machine = machine::parse_compact(read_file(std::string(session) + "/machine"));
  if (!machine) return std::nullopt;
  return std::move(machine.value());
}

}  // namespace

std::vector<int> parse_list(std::string_view text) {
  std::vector<int> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (int first = 0; at < end;) {
    const auto [after, error] = std::from_chars(at, end, first);
    if (error != std::errc{}) break;
    at = after;
    int last = first;
    if (at < end && *at == '-') at = std::from_chars(at + 1, end, last).ptr;
    constexpr int most = 65536;  // more would be a mistake of somebody's
    for (int i = first; i <= last && numbers.size() < most; ++i) numbers.push_back(i);
    if (at >= end || *at != ',') break;
    ++at;
  }
  return numbers;
}

Machine machine_of_nodes(const Sources& sources) {
  Machine machine;
  std::vector<int> without_cores;
  for (const int node : allowed_nodes(sources)) {
    std::vector<int> cpus = parse_list(node_file(sources, node, "cpulist"));
    std::erase_if(cpus, [&](int cpu) { return !given_cpus().has(cpu); });
    if (cpus.empty()) {
      without_cores.push_back(node);
    } else {
      add_domain(machine, node, cpus);
    }
  }
  for (const int node : without_cores) add_domain(machine, node, {});
  if (machine.domains.empty()) add_domain(machine, 0, {});
  add_distances(machine, sources);
  return machine;
}

Machine machine_here() {
  if (std::optional<Machine> machine = of_this_run()) return std::move(*machine);
  return machine_of_nodes({});
}

}  // namespace lares::api
