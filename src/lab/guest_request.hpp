// What a user asks of a guest, and the guest that comes of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "lab/distances.hpp"
#include "lab/guest.hpp"
#include "machine/machine.hpp"

namespace lares::lab {

/// Default sizes of a guest.
inline constexpr std::uint32_t default_nodes = 4;
inline constexpr std::uint32_t default_cpus_per_node = 2;
inline constexpr Bytes default_memory_per_node{256 * mebibyte.count};

/// What the user chose; what is left out gets a default. A plain value.
struct GuestRequest {
  std::optional<std::uint32_t> nodes;
  /// One number for every node that has cpus, or one for each node; 0 is a node without cpus.
  std::vector<std::uint32_t> cpus_per_node;
  /// One size for every node, or one for each node; 0 is a node without memory.
  std::vector<Bytes> memory_per_node;
  std::optional<std::uint32_t> cpuless;         ///< how many nodes at the end have no cpus
  std::string distance_preset;                  ///< empty: none named
  std::optional<DistanceTable> distance_table;  ///< read from a file; goes before a preset
  GuestCaches caches;
};

/// A guest, and what differs from what was asked for: sentences for standard error.
struct GuestPlan {
  Guest guest;
  std::vector<std::string> notes;
};

/// Reads what follows `--cache`: "l2=512K", "l3=8M", "l3-per=package" or "l3-per=node" with commas
/// between them, each at most once. What is not named keeps its default. Any text is safe.
Result<GuestCaches> parse_caches(std::string_view text);

/// Reads "2" or "2,2,0"; the error names `option`.
Result<std::vector<std::uint32_t>> parse_counts(std::string_view option, std::string_view text);
/// Reads "256M" or "1G,1G,0"; the error names `option`.
Result<std::vector<Bytes>> parse_sizes(std::string_view option, std::string_view text);

/// A guest of equal nodes, each a package of its own (of `two-level`, each group). Without a number
/// of nodes it is that of the distances, or four. Errors are sentences that name the option. The
/// guest is valid for a host with `host_memory` left; where memory is not asked for, it is made
/// less until it fits.
Result<GuestPlan> make_guest(const GuestRequest& request, Bytes host_memory);

/// A guest shaped as `machine`: a node for each of its memory nodes in the operating system's order
/// (cache domains of one node are one), with its packages, distances, latencies and bandwidths.
/// It has two cpus per node (one if the machine has more than 32 nodes, or nodes of one core), and
/// 256 MiB in the largest node, in the others in proportion but at least 64 MiB, 128 MiB with cpus.
/// The request's number of nodes and `cpuless` must be empty.
Result<GuestPlan> make_guest(const GuestRequest& request, const machine::Machine& machine,
                             Bytes host_memory);

}  // namespace lares::lab
