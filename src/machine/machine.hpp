// The machine as Lares sees it: cores, domains, a tree of shared levels, distances. No hwloc here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"

namespace lares::machine {

/// What cores may share, widest first.
enum class Level : std::uint8_t { machine, group, package, numa, l3, l2, core };

/// The level's name as users write it; `parse_level` accepts the five that can make domains
/// (numa, package, l3, l2, group) and else answers a sentence that lists them.
std::string_view level_name(Level level) noexcept;
Result<Level> parse_level(std::string_view name);

/// One core: the hardware threads that share everything. Lares schedules one place per thread of
/// a team, so hardware threads of a core are listed but never split.
struct Core {
  std::vector<OsCpu> cpus;  ///< the hardware threads that this process may use, never empty
  DomainId domain;          ///< always valid
};

/// A locality domain: cores that share the chosen level, with the memory next to them.
struct Domain {
  std::vector<CoreId> cores;  ///< empty for a domain that is memory only (CXL, HBM)
  OsNode node;       ///< its NUMA node; several cache domains can share one; may be invalid
  Bytes memory;      ///< of that node; 0 if none or unknown
  std::string name;  ///< for people: "numa 3", "l2 0"
};

/// A node of the tree of shared levels. Nodes that hold the same cores as their parent are left
/// out, and so are those that hold one core, but every domain that has cores is there. The order
/// of levels is not fixed: an l3 can hold two numa nodes, or the other way round.
struct TreeNode {
  Level level = Level::machine;
  std::int32_t parent = -1;   ///< index in Machine::tree; -1 for the root, which is node 0
  DomainId domain;            ///< valid exactly for the nodes that are domains
  std::vector<CoreId> cores;  ///< in logical order
};

/// A memory node that belongs to no domain of cores, or any other: what `lares topo` shows.
struct MemoryNode {
  OsNode node;
  Bytes total;
  Bytes free;              ///< 0 if unknown
  std::string kind;        ///< "DRAM", "HBM", "CXL", "NVM", "GPU", "unknown"
  bool has_cores = false;  ///< whether it is the own memory of cores that this process may use
  DomainId domain;         ///< the domain it is counted to: the first whose cores have it as theirs
};

/// No distance is larger: "unreachable" is 255 in a SLIT, measured ratios stay far below.
inline constexpr std::uint32_t max_distance = 65'535;

/// A distance matrix in the SLIT's scale: 10 is local. Row = from, column = to, in DomainId order.
/// It need not be symmetric, and in a measured one noise can put another domain before the own.
struct Distances {
  std::vector<std::uint32_t> values;  ///< size() x size()
  std::size_t size = 0;
  std::string source;  ///< "slit", "measured", "levels" (made up from the tree), "file"

  [[nodiscard]] std::uint32_t at(DomainId from, DomainId to) const noexcept {
    return values[from.index() * size + to.index()];
  }
};

/// No access takes longer, and no bandwidth is larger, in a machine file.
inline constexpr std::uint32_t max_latency_ns = 1'000'000;
inline constexpr std::uint32_t max_bandwidth_mb_s = 100'000'000;

/// What an access costs, where somebody has measured or printed it. Row = the domain whose cores
/// access, column = the domain whose memory it is, in DomainId order; 0 is "not known". A domain
/// without cores accesses nothing: its row means what its own device could reach, or is not known.
struct Performance {
  std::vector<std::uint32_t> latency_ns;      ///< idle, in nanoseconds; empty if nothing is known
  std::vector<std::uint32_t> bandwidth_mb_s;  ///< in 10^6 bytes a second; empty if nothing is known

  [[nodiscard]] bool empty() const noexcept { return latency_ns.empty() && bandwidth_mb_s.empty(); }
};

/// Everything that scheduling needs to know. A plain value; immutable once made, so it can be
/// shared between threads.
struct Machine {
  std::string name;   ///< for people
  std::string about;  ///< for people: where the figures come from; may be empty
  std::string grade;  ///< of the figures: "measured", "published", "synthetic", or ""
  Level domain_level = Level::numa;  ///< the level that makes the domains
  std::vector<Core> cores;           ///< by CoreId
  std::vector<Domain> domains;       ///< by DomainId; those with cores first
  std::vector<TreeNode> tree;        ///< node 0 is the root; parents come before children
  std::vector<MemoryNode> memory;    ///< every NUMA node with memory, in OS order
  Distances distances;
  Performance performance;
  std::string simulation;  ///< what `lares simulate` is told, as JSON text; empty if nothing

  /// Domains that have cores; they are the first in `domains`.
  [[nodiscard]] std::size_t domains_with_cores() const noexcept;
  /// The core of a hardware thread, or an invalid id if this process may not use it. O(cores).
  [[nodiscard]] CoreId core_of(OsCpu cpu) const noexcept;
  /// The domain that the pages of `node` are at home in: the first whose memory is `node`, else the
  /// one that the node is counted to (a package can hold several nodes), else an invalid id.
  [[nodiscard]] DomainId domain_of(OsNode node) const noexcept;
};

/// The first broken invariant of `machine` as a sentence, or nothing.
std::optional<Error> validate(const Machine& machine);

/// The compact form that `lares run` passes to the preloaded library: lines of text, versioned.
/// Round trip: parse_compact(to_compact(m)) gives a machine that schedules alike.
/// Errors of parse_compact name the line; any bytes are safe to give it, and what it returns is
/// valid. What scheduling does not ask for (about, grade, simulation) is left out. No
/// hwloc, no iostreams, no exceptions.
std::string to_compact(const Machine& machine);
Result<Machine> parse_compact(std::string_view text);

}  // namespace lares::machine
