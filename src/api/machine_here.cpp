#include "api/machine_here.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string>

namespace lares::api {
namespace {

using machine::Machine;

std::string read_file(const std::string& path) {
  std::string text;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return text;
  std::array<char, 4096> piece;
  for (ssize_t got = 1; got > 0;) {
    got = read(file, piece.data(), piece.size());
    if (got > 0) text.append(piece.data(), static_cast<std::size_t>(got));
  }
  close(file);
  return text;
}

std::string node_file(int node, const char* name) {
  return read_file("/sys/devices/system/node/node" + std::to_string(node) + "/" + name);
}

/// The nodes whose memory this process may use.
std::vector<int> allowed_nodes() {
  std::vector<int> nodes = parse_list(read_file("/sys/devices/system/node/has_memory"));
  const std::string status = read_file("/proc/self/status");
  constexpr std::string_view name = "Mems_allowed_list:";
  const std::size_t at = status.find(name);
  if (at == std::string::npos) return nodes;
  const std::vector<int> allowed = parse_list(
      std::string_view(status).substr(status.find_first_not_of(" \t", at + name.size())));
  std::erase_if(nodes, [&](int node) {
    return std::find(allowed.begin(), allowed.end(), node) == allowed.end();
  });
  return nodes;
}

bool may_run_on(const cpu_set_t& set, int cpu) {
  return cpu < CPU_SETSIZE && CPU_ISSET(static_cast<std::size_t>(cpu), &set);
}

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

/// The rows that the kernel lists hold every online node; those of other nodes are left out.
void add_distances(Machine& machine, const std::vector<int>& online) {
  machine.distances.size = machine.domains.size();
  machine.distances.source = "slit";
  for (const machine::Domain& from : machine.domains) {
    const std::string row = node_file(from.node.value(), "distance");
    const char* at = row.data();
    const char* const end = row.data() + row.size();
    std::vector<std::uint32_t> values(online.size(), 10);
    for (std::uint32_t& value : values) {
      while (at < end && *at == ' ') ++at;
      at = std::from_chars(at, end, value).ptr;
    }
    for (const machine::Domain& to : machine.domains) {
      const auto column = std::find(online.begin(), online.end(), to.node.value());
      const auto index = static_cast<std::size_t>(column - online.begin());
      machine.distances.values.push_back(index < values.size() ? values[index] : 10);
    }
  }
}

Machine from_nodes() {
  Machine machine;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof(allowed), &allowed);
  std::vector<int> without_cores;
  for (const int node : allowed_nodes()) {
    std::vector<int> cpus = parse_list(node_file(node, "cpulist"));
    std::erase_if(cpus, [&](int cpu) { return !may_run_on(allowed, cpu); });
    if (cpus.empty()) {
      without_cores.push_back(node);
    } else {
      add_domain(machine, node, cpus);
    }
  }
  for (const int node : without_cores) add_domain(machine, node, {});
  if (machine.domains.empty()) add_domain(machine, 0, {});
  add_distances(machine, parse_list(read_file("/sys/devices/system/node/online")));
  return machine;
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

Machine machine_here() {
  if (std::optional<Machine> machine = of_this_run()) return std::move(*machine);
  return from_nodes();
}

}  // namespace lares::api
