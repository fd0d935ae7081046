// What marking, bringing back and following share.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/ids.hpp"
#include "memory/calls.hpp"
#include "memory/maps.hpp"
#include "memory/next_touch/emptying.hpp"
#include "memory/next_touch/gate.hpp"
#include "memory/next_touch/region.hpp"
#include "memory/next_touch/regions.hpp"
#include "memory/next_touch/userfault.hpp"
#include "memory/nodes.hpp"

namespace lares::memory {

/// One way's descriptor, the gate before its requests, and what was told of emptyings.
struct Watch {
  Watch(const SystemCalls& calls, std::uint64_t page, Keeper& keeper) noexcept
      : userfault(calls, &keeper), emptying(calls, page) {}
  Userfault userfault;
  Gate gate;
  Emptying emptying;
};

/// Everything of one NextTouch that its parts work with. Thread safety: see the members.
struct Shared {
  Shared(const SystemCalls& kernel, const Nodes& where, Bytes page_bytes,
         const MapsSource& mappings) noexcept
      : calls(kernel),
        nodes(where),
        page(page_bytes.count),
        maps(mappings),
        regions(calls),
        keeper(calls),
        by_thread(calls, page, keeper),
        by_signal(calls, page, keeper) {}

  [[nodiscard]] Watch& watch_of(Way way) noexcept {
    return way == Way::userfault_thread ? by_thread : by_signal;
  }

  /// Of either way. Inside the gates: what was read is followed.
  [[nodiscard]] bool has_unread_change() const noexcept {
    return by_thread.userfault.has_unread_change(page) ||
           by_signal.userfault.has_unread_change(page);
  }

  const SystemCalls calls;
  const Nodes& nodes;
  const std::uint64_t page;
  const MapsSource maps;
  Regions regions;
  Keeper keeper;
  Watch by_thread;
  Watch by_signal;
  /// The mremap by which a marker has put an area aside, and of which the kernel tells as of any
  /// other: where the area is and where its pages are now. A marker writes it before the message is
  /// followed (see Follower), and the follower empties it.
  std::atomic<std::uintptr_t> own_remap_from{0};
  std::atomic<std::uintptr_t> own_remap_to{0};
  /// Pages may be shared with a child, or were with a parent. Whoever forks writes, markers read.
  std::atomic<bool> forked{false};

  // Any thread, relaxed: statistics.
  std::atomic<std::uint64_t> areas{0};
  std::atomic<std::uint64_t> chunks{0};
  std::atomic<std::uint64_t> pages{0};
  std::atomic<std::uint64_t> nanoseconds{0};
  std::atomic<std::uint64_t> settled{0};
  std::atomic<std::uint64_t> sampled{0};
};

}  // namespace lares::memory
