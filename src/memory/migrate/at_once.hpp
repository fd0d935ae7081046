// Moves what several nodes shall have, at the same time.
#pragma once

#include <span>
#include <vector>

#include "base/ids.hpp"
#include "memory/calls.hpp"
#include "memory/extent.hpp"
#include "memory/migrate/migrate.hpp"

namespace lares::memory {

/// What one node shall have, and the processors that are near it: none for any.
struct Load {
  OsNode node;
  std::vector<Extent> ranges;
  std::span<const OsCpu> near;
};

/// Moves all pages of all loads, as migrate() moves those of one. A page takes some microseconds,
/// mostly in the kernel, so that a thread for each node is as many times as fast. But each page is
/// told to all processors that run the program: where these are the shares of a virtual machine
/// that has fewer real ones, the movers wait for each other, and one alone is several times as fast
/// as all. So both ways are tried with some pages, and the rest goes by the faster one.
///
/// Returns when all is done: the threads are gone then, and they have all signals blocked. Where
/// none can be made the caller moves everything. `options.progress` may be called by several
/// threads at the same time, each with what it has moved itself. Thread safety: any thread.
MoveReport migrate_at_once(const SystemCalls& calls, std::span<const Load> loads,
                           const MoveOptions& options);

/// Pages of each load that are moved to see how fast that is, in either way.
inline constexpr std::size_t pages_to_try = 64;

}  // namespace lares::memory
