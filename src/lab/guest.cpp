#include "lab/guest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "lab/sizes.hpp"

namespace lares::lab {
namespace {

using Verdict = std::optional<Error>;

constexpr Bytes page{4 * kibibyte.count};
constexpr Bytes max_cache{gibibyte.count};

Verdict check_counts(const Guest& guest) {
  if (guest.nodes.empty() || guest.nodes.size() > max_guest_nodes) {
    return Error{fmt::format("a guest cannot have {} nodes, accepted are 1 to {}",
                             guest.nodes.size(), max_guest_nodes)};
  }
  std::uint64_t cpus = 0;  // the sum of 32-bit numbers may be larger than they are
  for (const GuestNode& node : guest.nodes) cpus += node.cpus;
  if (cpus >= 1 && cpus <= max_guest_cpus) return std::nullopt;
  return Error{fmt::format("a guest cannot have {} cpus in all, accepted are 1 to {}", cpus,
                           max_guest_cpus)};
}

Verdict check_node_memory(const GuestNode& node, std::size_t number) {
  if (node.memory.count == 0) return std::nullopt;
  if (node.memory < min_node_memory) {
    return Error{fmt::format("node {} cannot have {} of memory, accepted are 0 and {} or more",
                             number, size_text(node.memory), size_text(min_node_memory))};
  }
  if (node.memory.count % mebibyte.count == 0) return std::nullopt;
  return Error{fmt::format("node {} cannot have {} of memory, accepted are multiples of 1M", number,
                           size_text(node.memory))};
}

Verdict check_memory(const Guest& guest, Bytes host_memory) {
  Bytes all;
  for (std::size_t n = 0; n < guest.nodes.size(); ++n) {
    if (auto verdict = check_node_memory(guest.nodes[n], n)) return verdict;
    all += guest.nodes[n].memory;
    if (all <= host_memory) continue;
    return Error{fmt::format(
        "a guest of {} nodes needs {} of memory and only {} are available on this host: use fewer "
        "nodes or a smaller --memory-per-node",
        guest.nodes.size(), size_text(guest.memory()), size_text(host_memory))};
  }
  if (all >= min_guest_memory) return std::nullopt;
  return Error{fmt::format("a guest cannot boot with {} of memory in all, it takes {} or more",
                           size_text(all), size_text(min_guest_memory))};
}

Verdict check_distances(const Guest& guest) {
  const std::size_t size = guest.nodes.size();
  if (guest.distances.size() != size * size) {
    return Error{
        fmt::format("the distances of {} nodes must be {} rows of {} values", size, size, size)};
  }
  for (std::size_t i = 0; i < guest.distances.size(); ++i) {
    const std::size_t from = i / size;
    const std::size_t to = i % size;
    const std::uint32_t low = from == to ? local_distance : min_remote_distance;
    const std::uint32_t high = from == to ? local_distance : max_guest_distance;
    if (guest.distances[i] >= low && guest.distances[i] <= high) continue;
    return Error{fmt::format("the distance from node {} to node {} cannot be {}, accepted {}", from,
                             to, guest.distances[i],
                             from == to ? "is 10" : fmt::format("are {} to {}", low, high))};
  }
  return std::nullopt;
}

Verdict check_figures(const Guest& guest) {
  const std::size_t cells = guest.nodes.size() * guest.nodes.size();
  for (const auto* matrix : {&guest.latency_ns, &guest.bandwidth_mb_s}) {
    if (matrix->empty() || matrix->size() == cells) continue;
    return Error{fmt::format("the {} of {} nodes must be {} rows of {} values",
                             matrix == &guest.latency_ns ? "latencies" : "bandwidths",
                             guest.nodes.size(), guest.nodes.size(), guest.nodes.size())};
  }
  for (const std::uint32_t value : guest.latency_ns) {
    if (value <= max_guest_latency_ns) continue;
    return Error{fmt::format("a latency cannot be {} ns, accepted are up to {} ns", value,
                             max_guest_latency_ns)};
  }
  return std::nullopt;
}

/// QEMU numbers cpus socket by socket and gives each as many; ours are numbered node by node.
Verdict check_packages(const Guest& guest) {
  std::map<std::uint32_t, std::uint64_t> cpus_of;
  std::uint32_t last = 0;
  for (std::size_t n = 0; n < guest.nodes.size(); ++n) {
    const GuestNode& node = guest.nodes[n];
    if (node.cpus == 0) continue;
    const bool next = cpus_of.empty() ? node.package == 0 : node.package <= last + 1;
    if (!next || node.package < last) {
      return Error{
          fmt::format("node {} cannot be in package {}: packages are numbered in the "
                      "order of the nodes",
                      n, node.package)};
    }
    last = node.package;
    cpus_of[node.package] += node.cpus;
  }
  for (const auto& [package, cpus] : cpus_of) {
    if (cpus == cpus_of[0]) continue;
    return Error{fmt::format("package {} cannot have {} cpus where package 0 has {}", package, cpus,
                             cpus_of[0])};
  }
  return std::nullopt;
}

Verdict check_cache_size(const char* name, Bytes size, Bytes low) {
  if (size >= low && size <= max_cache && size.count % page.count == 0) return std::nullopt;
  return Error{fmt::format("{} cannot be {}, accepted are multiples of {} from {} to {}", name,
                           size_text(size), size_text(page), size_text(low), size_text(max_cache))};
}

Verdict check_caches(const Guest& guest) {
  if (auto verdict = check_cache_size("a cache l2", guest.caches.l2, page)) return verdict;
  if (guest.caches.l3.count == 0) return std::nullopt;
  return check_cache_size("a cache l3", guest.caches.l3, page);
}

}  // namespace

std::uint32_t Guest::cpus() const noexcept { return first_cpu_of(nodes.size()); }

std::uint32_t Guest::first_cpu_of(std::size_t node) const noexcept {
  const auto end = nodes.begin() + static_cast<std::ptrdiff_t>(std::min(node, nodes.size()));
  return std::accumulate(nodes.begin(), end, std::uint32_t{0},
                         [](std::uint32_t sum, const GuestNode& n) { return sum + n.cpus; });
}

Bytes Guest::memory() const noexcept {
  return std::accumulate(nodes.begin(), nodes.end(), Bytes{},
                         [](Bytes sum, const GuestNode& n) { return sum + n.memory; });
}

std::uint32_t Guest::packages() const noexcept {
  std::uint32_t count = 0;
  for (const GuestNode& node : nodes) {
    if (node.cpus > 0) count = std::max(count, node.package + 1);
  }
  return count;
}

std::optional<Error> validate(const Guest& guest, Bytes host_memory) {
  if (auto verdict = check_counts(guest)) return verdict;
  if (auto verdict = check_memory(guest, host_memory)) return verdict;
  for (const auto check : {check_distances, check_figures, check_packages, check_caches}) {
    if (auto verdict = check(guest)) return verdict;
  }
  return std::nullopt;
}

}  // namespace lares::lab
