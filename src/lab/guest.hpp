// The guest of the lab as a value: its nodes, their distances, and the caches that counting
// assumes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"

namespace lares::lab {

/// The largest guest that QEMU and Debian's cloud kernel boot.
inline constexpr std::uint32_t max_guest_cpus = 255;
inline constexpr std::size_t max_guest_nodes = 64;

inline constexpr Bytes kibibyte{1024};
inline constexpr Bytes mebibyte{1024 * kibibyte.count};
inline constexpr Bytes gibibyte{1024 * mebibyte.count};

/// Less in a node is useless to Linux; less in all does not hold the kernel and a program.
inline constexpr Bytes min_node_memory{16 * mebibyte.count};
inline constexpr Bytes min_guest_memory{128 * mebibyte.count};

/// What a guest's distances can be: 10 to the own node, and from 11 to another (Linux throws away a
/// table with less) to 254 (255 would mean unreachable).
inline constexpr std::uint32_t local_distance = 10;
inline constexpr std::uint32_t min_remote_distance = 11;
inline constexpr std::uint32_t max_guest_distance = 254;

/// What the firmware's table for latency and bandwidth (HMAT) can hold: sixteen bits an entry.
inline constexpr std::uint32_t max_guest_latency_ns = 65'000;

/// One NUMA node of the guest.
struct GuestNode {
  std::uint32_t cpus = 0;     ///< 0: memory only
  Bytes memory;               ///< 0: a node without memory; a multiple of 1 MiB
  std::uint32_t package = 0;  ///< the socket that its cpus are in; 0 without cpus
  std::string kind = "DRAM";  ///< as machine::MemoryNode::kind
};

/// The caches that counting assumes; QEMU itself has none. Sizes are multiples of 4 KiB.
struct GuestCaches {
  Bytes l2{512 * kibibyte.count};  ///< one per cpu
  Bytes l3;                        ///< 0: none
  bool l3_per_package = false;     ///< else one per node
};

/// A machine for QEMU to emulate. A plain value.
struct Guest {
  std::string name;                       ///< for people
  std::vector<GuestNode> nodes;           ///< by the number of the node in the guest
  std::vector<std::uint32_t> distances;   ///< nodes x nodes, row = from; 10 local, 11..254 else
  std::vector<std::uint32_t> latency_ns;  ///< empty, or nodes x nodes; 0: not known
  /// Empty, or nodes x nodes; 0: not known. Rounded so that a common unit fits all in 16 bits.
  std::vector<std::uint32_t> bandwidth_mb_s;
  GuestCaches caches;

  /// All cpus of the guest. Cpus are numbered node by node.
  [[nodiscard]] std::uint32_t cpus() const noexcept;
  /// The number of the first cpu of `node`; where a node has none, that of the next one that has.
  [[nodiscard]] std::uint32_t first_cpu_of(std::size_t node) const noexcept;
  /// The memory of all nodes.
  [[nodiscard]] Bytes memory() const noexcept;
  /// The sockets; each has the same number of cpus, and theirs follow each other.
  [[nodiscard]] std::uint32_t packages() const noexcept;
};

/// The first reason why `guest` cannot be booted on a host that has `host_memory` left, as one
/// sentence for a user, or nothing. A guest that passes has at least one cpu, some memory in a
/// node, complete matrices in the ranges above, packages numbered from 0 in the order of the nodes
/// and of equal size, and caches that can be counted.
std::optional<Error> validate(const Guest& guest, Bytes host_memory);

}  // namespace lares::lab
