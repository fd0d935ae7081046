// Moves pages that exist, in batches, and tells what became of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/ids.hpp"
#include "memory/calls.hpp"
#include "memory/extent.hpp"
#include "memory/nodes.hpp"
#include "memory/place/plan.hpp"

namespace lares::memory {

/// What became of the pages of a range: pages = in_place + absent + placed + failed(), and more
/// only if the caller stopped it. Nothing is ever lost: a page that did not move is where it was.
struct MoveReport {
  std::uint64_t pages = 0;     ///< that were looked at
  std::uint64_t in_place = 0;  ///< are where they were asked to be
  std::uint64_t moved = 0;     ///< of those in place: that were elsewhere before
  std::uint64_t absent = 0;    ///< not in memory, so there is nothing to move: nobody has written
                               ///< them yet, or they are swapped out
  std::uint64_t placed = 0;    ///< elsewhere because a policy wants them there, and left there
  std::uint64_t busy = 0;      ///< pinned or in use by the kernel, also after some tries (EBUSY)
  std::uint64_t no_room = 0;   ///< the node has no free page (ENOMEM)
  std::uint64_t denied = 0;    ///< shared with another process (EACCES, EPERM), or for a node
                               ///< outside of this process' cpuset: then `refused` is EACCES
  std::uint64_t other = 0;     ///< any other error of a page
  int refused = 0;             ///< errno if the kernel refused move_pages (all, or a node), or 0

  [[nodiscard]] std::uint64_t failed() const noexcept { return busy + no_room + denied + other; }
  MoveReport& operator+=(const MoveReport& more) noexcept;
};

struct MoveOptions {
  Bytes page{4096};
  unsigned tries = 4;  ///< rounds for pages that are busy at the moment
  /// Moves only what lies where it was first touched: what a policy of the memory has placed is
  /// where somebody wants it, and so is all if the system does not say.
  bool only_first_touch = false;
  /// Called after each batch of pages; false stops. May be null.
  bool (*progress)(void* argument, const MoveReport& so_far) noexcept = nullptr;
  void* argument = nullptr;
};

/// Pages per call: the cost of the call itself is gone from 64 on.
inline constexpr std::size_t pages_per_move = 512;

/// Moves the pages that hold a byte of [address, address + length) to `node`. The pages at the
/// ends move whole, with what else they hold. (OMPX migrate, Schmidl 2016, 3.3.2; MaMI
/// mami_migrate_on_node, ForestGOMP 3.3.) Two calls of move_pages per batch: one that asks, one
/// that moves what is not yet there. Thread safety: any thread; readers and writers of the memory
/// go on. No memory but its own stack (12 KiB).
MoveReport migrate(const SystemCalls& calls, std::uintptr_t address, Bytes length, OsNode node,
                   const MoveOptions& options) noexcept;

/// The same of several ranges, together in batches. A page that ranges share is looked at for each.
MoveReport migrate(const SystemCalls& calls, std::span<const Extent> ranges, OsNode node,
                   const MoveOptions& options) noexcept;

/// The same of those of `pages`, the starts of some, that lie on `from`. The report is of those.
MoveReport migrate_from(const SystemCalls& calls, OsNode from, OsNode to,
                        std::span<const std::uintptr_t> pages, const MoveOptions& options) noexcept;

/// The same in smaller batches, for the small stack of a signal handler.
MoveReport migrate_in_handler(const SystemCalls& calls, std::uintptr_t address, Bytes length,
                              OsNode node, const MoveOptions& options) noexcept;

/// The same to the domains of a plan for the range at `address`.
MoveReport migrate(const SystemCalls& calls, const Nodes& nodes, const Plan& plan,
                   std::uintptr_t address, const MoveOptions& options) noexcept;

/// Whether pages that this thread is the first to touch lie on its node: no policy of the thread or
/// of its process says otherwise (set_mempolicy, numactl).
bool places_by_touch(const SystemCalls& calls) noexcept;

/// Where are these pages? status[i] becomes a node, -ENOENT (not there yet) or another -errno.
/// 0 or an errno. `first` is the start of a page; at most pages_per_move pages.
int where_are(const SystemCalls& calls, std::uintptr_t first, std::size_t count, Bytes page,
              int* status) noexcept;

}  // namespace lares::memory
