#include "lab/guest_presets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "lab/guest_memory.hpp"
#include "lab/sizes.hpp"

namespace lares::lab {
namespace {

using machine::Domain;
using machine::Level;
using machine::Machine;
using machine::TreeNode;

constexpr std::size_t many_nodes = 32;

/// The domains that one node of the guest stands for; the first one's distances are the node's.
using Members = std::vector<DomainId>;

/// In the operating system's order of nodes; domains without a node come last.
std::vector<Members> members_of_nodes(const Machine& machine) {
  std::map<std::int32_t, Members> by_node;
  std::vector<Members> without;
  for (std::size_t d = 0; d < machine.domains.size(); ++d) {
    const OsNode node = machine.domains[d].node;
    if (node.valid()) {
      by_node[node.value()].emplace_back(d);
    } else {
      without.push_back({DomainId{d}});
    }
  }
  std::vector<Members> list;
  for (auto& [unused, members] : by_node) list.push_back(std::move(members));
  list.insert(list.end(), without.begin(), without.end());
  return list;
}

bool contains(const Members& members, DomainId id) {
  return std::find(members.begin(), members.end(), id) != members.end();
}

/// The number of the package that holds `core`: of the tree's node, or the root's without packages.
std::size_t package_of(const Machine& machine, CoreId core) {
  for (std::size_t n = 0; n < machine.tree.size(); ++n) {
    const TreeNode& node = machine.tree[n];
    if (node.level != Level::package) continue;
    if (std::binary_search(node.cores.begin(), node.cores.end(), core)) return n;
  }
  return 0;
}

GuestNode node_of(const Machine& machine, const Members& members) {
  GuestNode node;
  node.kind = "unknown";
  std::size_t cores = 0;
  for (const DomainId id : members) cores += machine.domains[id.index()].cores.size();
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  node.cpus = static_cast<std::uint32_t>(std::min(cores, most));
  for (const machine::MemoryNode& memory : machine.memory) {
    if (!contains(members, machine.domain_of(memory.node))) continue;
    if (node.memory.count == 0) node.kind = memory.kind;
    node.memory += memory.total;
  }
  if (node.memory.count == 0) node.memory = machine.domains[members.front().index()].memory;
  return node;
}

/// Packages in the order of the nodes; false if firmware could not describe them.
bool number_packages(const Machine& machine, const std::vector<Members>& members,
                     std::vector<GuestNode>& nodes) {
  std::vector<std::size_t> seen;      // tree nodes of packages
  std::vector<std::size_t> nodes_in;  // by package
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (nodes[n].cpus == 0) continue;
    const Domain& domain = machine.domains[members[n].front().index()];
    const std::size_t package = package_of(machine, domain.cores.front());
    if (seen.empty() || seen.back() != package) {
      if (std::find(seen.begin(), seen.end(), package) != seen.end()) return false;
      seen.push_back(package);
      nodes_in.push_back(0);
    }
    ++nodes_in.back();
    nodes[n].package = static_cast<std::uint32_t>(seen.size() - 1);
  }
  return std::adjacent_find(nodes_in.begin(), nodes_in.end(), std::not_equal_to<>()) ==
         nodes_in.end();
}

template <class Value>
std::vector<std::uint32_t> matrix(const std::vector<Members>& members, Value value) {
  std::vector<std::uint32_t> cells;
  for (const Members& from : members) {
    for (const Members& to : members) cells.push_back(value(from.front(), to.front()));
  }
  return cells;
}

std::vector<std::uint32_t> figures(const Machine& machine, const std::vector<Members>& members,
                                   const std::vector<std::uint32_t>& of_domains) {
  if (of_domains.empty()) return {};
  return matrix(members, [&](DomainId from, DomainId to) {
    return of_domains[from.index() * machine.domains.size() + to.index()];
  });
}

/// Bandwidths share a unit, a power of two, and each is at most sixteen bits of it.
void round_bandwidths(std::vector<std::uint32_t>& values) {
  if (values.empty()) return;
  const std::uint32_t largest = *std::max_element(values.begin(), values.end());
  std::uint32_t unit = 1;
  while (largest / unit >= 65'000) unit *= 2;
  for (std::uint32_t& value : values) {
    if (value != 0) value = std::max(1U, (value + unit / 2) / unit) * unit;
  }
}

/// One number for all nodes with cpus: firmware can only describe packages of equal size.
std::uint32_t usual_cpus(const std::vector<GuestNode>& nodes) {
  std::uint32_t cpus = nodes.size() > many_nodes ? 1 : default_cpus_per_node;
  for (const GuestNode& node : nodes) {
    if (node.cpus > 0) cpus = std::min(cpus, node.cpus);
  }
  return cpus;
}

void reduce_cpus(GuestPlan& plan, const std::vector<std::uint32_t>& asked) {
  std::vector<GuestNode>& nodes = plan.guest.nodes;
  std::uint32_t before = 0;
  std::uint32_t after = 0;
  const std::uint32_t usual = usual_cpus(nodes);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    before = std::max(before, nodes[n].cpus);
    if (asked.size() > 1) {
      nodes[n].cpus = asked[n];
    } else if (nodes[n].cpus > 0) {
      nodes[n].cpus = asked.empty() ? usual : asked.front();
    }
    after = std::max(after, nodes[n].cpus);
  }
  if (after < before) {
    plan.notes.push_back(
        fmt::format("nodes have {} of the {} cores of \"{}\"", after, before, plan.guest.name));
  }
  if (asked.size() < 2) return;
  for (GuestNode& node : nodes) node.package = 0;  // a list need not fit the packages
}

void reduce_memory(GuestPlan& plan, const GuestRequest& request, Bytes host_memory) {
  std::vector<GuestNode>& nodes = plan.guest.nodes;
  Bytes before;
  for (const GuestNode& node : nodes) before = std::max(before, node.memory);
  std::vector<Bytes> usual;
  for (const GuestNode& node : nodes) {
    usual.push_back(node.memory.count == 0 ? default_memory_per_node
                                           : proportion(default_memory_per_node, node.memory.count,
                                                        before.count, node.cpus > 0));
  }
  set_memory(nodes, request.memory_per_node, usual, host_memory, plan.notes);
  Bytes after;
  for (const GuestNode& node : nodes) after = std::max(after, node.memory);
  if (after >= before) return;
  constexpr Bytes unit = mebibyte;
  plan.notes.push_back(
      fmt::format("nodes have up to {} of memory, not up to {} as \"{}\" has", size_text(after),
                  size_text({before.count / unit.count * unit.count}), plan.guest.name));
}

}  // namespace

Guest shape_of(const Machine& machine, std::vector<std::string>& notes) {
  const std::vector<Members> members = members_of_nodes(machine);
  Guest guest;
  guest.name = machine.name;
  for (const Members& group : members) guest.nodes.push_back(node_of(machine, group));
  if (!number_packages(machine, members, guest.nodes)) {
    for (GuestNode& node : guest.nodes) node.package = 0;
    notes.push_back(
        fmt::format("all nodes are in one package, because those of \"{}\" differ in "
                    "size or mix their nodes",
                    machine.name));
  }
  guest.distances =
      matrix(members, [&](DomainId from, DomainId to) { return machine.distances.at(from, to); });
  guest.latency_ns = figures(machine, members, machine.performance.latency_ns);
  for (std::uint32_t& latency : guest.latency_ns) latency = std::min(latency, max_guest_latency_ns);
  guest.bandwidth_mb_s = figures(machine, members, machine.performance.bandwidth_mb_s);
  round_bandwidths(guest.bandwidth_mb_s);
  return guest;
}

void reduce(GuestPlan& plan, const GuestRequest& request, Bytes host_memory) {
  reduce_cpus(plan, request.cpus_per_node);
  reduce_memory(plan, request, host_memory);
}

}  // namespace lares::lab
