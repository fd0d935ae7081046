// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
// The caches that the counter puts between the guest's vCPUs and its memory.
//
// Every vCPU has a private cache (L2), set-associative with the least recently used line going
// first. An optional shared cache (L3) stands behind the private ones of a node or a package; it is
// a victim cache, as on the Opterons and EPYCs that the machine files describe: what leaves an L2,
// clean or dirty, enters it, and a line found in it is copied to the L2 and stays. Copies follow
// MOESI: a dirty line that another vCPU reads is passed from cache to cache, its owner goes on
// owing it to memory, and memory is written only when the owner's copy must go. So lines written to
// memory are exactly the evictions of dirty lines.
//
// Threads: access() is called by one thread at a time for each vCPU. The private cache and the
// counters of a vCPU are only changed by that call; the shared caches have a lock per set;
// everything about a line that two vCPUs may decide on is in its directory entry (see Directory).
// No lock is taken while another is held.
//
// Invariants, when no access is under way:
//   M1  a cache that the directory lists for a line has the line in its sets.
//   M2  a cache that the directory does not list owes memory nothing; so what was fetched was
//   either
//       dropped, invalidated, or is still listed, and each line is written back once per owner lost
//       by eviction.
// The reverse of M1 is not true: an invalidated line stays in its set until it is the oldest there.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "lab/plugin/directory.hpp"
#include "lab/plugin/line.hpp"
#include "lab/plugin/lru_sets.hpp"
#include "lab/plugin/spin.hpp"
#include "lab/plugin/traffic.hpp"

namespace lares::lab::counting {

inline constexpr unsigned l2_ways = 8;
inline constexpr unsigned l3_ways = 16;
/// Sizes of caches are multiples of these, so that the number of sets is one of lines_per_page.
inline constexpr std::uint64_t l2_unit = l2_ways * page_bytes;
inline constexpr std::uint64_t l3_unit = l3_ways * page_bytes;

/// The largest cache, each.
inline constexpr std::uint64_t max_cache = std::uint64_t{1} << 32;

/// What the model is made of.
struct Layout {
  std::vector<Node> node_of_vcpu;
  Node nodes = 0;
  std::uint64_t l2_bytes = 512 * 1024;  ///< a multiple of l2_unit, not 0
  std::uint64_t l3_bytes = 0;           ///< a multiple of l3_unit; 0: there is none
  std::vector<unsigned> l3_of_node;     ///< which shared cache a node's vCPUs use; 0, 1, ...
};

/// Which memory each line is in. Lines are in chunks, and a chunk is in one node's memory.
struct Homes {
  static constexpr unsigned chunk_shift = 14;  ///< 2^14 lines are 1 MiB
  std::vector<Node> node_of_chunk;

  [[nodiscard]] std::size_t lines() const noexcept { return node_of_chunk.size() << chunk_shift; }
  [[nodiscard]] Node of(Line line) const noexcept { return node_of_chunk[line >> chunk_shift]; }
};

class CacheModel {
 public:
  /// ok() is false if there was no memory for the directory.
  CacheModel(Layout layout, Homes homes);

  [[nodiscard]] bool ok() const noexcept { return directory_.ok(); }
  [[nodiscard]] Vcpu vcpus() const noexcept { return static_cast<Vcpu>(privates_.size()); }
  [[nodiscard]] const Directory& directory() const noexcept { return directory_; }

  /// The vCPU loads from the line or stores to it. Precondition: vcpu < vcpus(), the line has a
  /// home. Thread safety: one thread at a time for each vCPU.
  void access(Vcpu vcpu, Line line, bool store) noexcept;

  /// All that was counted up to now. Thread safety: any thread; what happens during the call may
  /// be in it or not.
  [[nodiscard]] Traffic traffic() const;

  /// For tests: every line that the vCPU's private cache, or that shared cache, has in its sets.
  [[nodiscard]] const std::vector<Line>& lines_of(Agent agent) const noexcept;
  /// For tests: who holds a line, and who owes it to memory.
  struct LineState {
    std::vector<Agent> holders;
    std::optional<Agent> owner;
  };
  [[nodiscard]] LineState state_of(Line line);

  /// For tests: the private caches and the shared ones.
  [[nodiscard]] Agent agents() const noexcept {
    return static_cast<Agent>(privates_.size() + shared_.size());
  }

 private:
  /// One vCPU's own. On cache lines of its own, for its thread writes it all the time.
  struct alignas(128) Private {
    Private(Vcpu vcpu, const Layout& layout);
    Agent agent;
    Node node;
    Directory::Copy copy;
    Agent shared;  ///< the shared cache behind it, or `agent` itself if there is none
    std::vector<std::uint64_t>
        domain;  ///< mask of the agents at that shared cache, if there is one
    LruSets sets;
    /// [kind][column]; written by its thread, read by any.
    std::unique_ptr<std::atomic<std::uint64_t>[]> counts;
  };
  /// A cache behind several private ones; each set under its lock.
  struct Shared {
    Shared(Node first_node, const Layout& layout);
    Node node;  ///< whose transfers from it are: the first of its nodes
    LruSets sets;
    std::vector<SpinLock> locks;
  };

  void obtain(Private& cpu, Line line, bool store) noexcept;
  void count_source(Private& cpu, const LockedLine& entry, Line line, bool store) noexcept;
  void evict(Private& cpu, Line line) noexcept;
  void enter_shared(Private& cpu, Line line) noexcept;
  void leave(Private& cpu, Agent agent, Line line) noexcept;
  void count(Private& cpu, Kind kind, Node column) noexcept;
  [[nodiscard]] static bool is_near(const Private& cpu, Agent agent) noexcept;
  [[nodiscard]] bool has_shared() const noexcept { return !shared_.empty(); }
  [[nodiscard]] Shared& shared_of(const Private& cpu) noexcept {
    return shared_[cpu.shared - privates_.size()];
  }
  [[nodiscard]] Node node_of(Agent agent) const noexcept;

  Layout layout_;
  Homes homes_;
  Directory directory_;
  std::vector<Private> privates_;
  std::vector<Shared> shared_;
};

}  // namespace lares::lab::counting
