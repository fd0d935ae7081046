// What marking, bringing back and following share.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/ids.hpp"
#include "memory/calls.hpp"
#include "memory/maps.hpp"
#include "memory/next_touch/gate.hpp"
#include "memory/next_touch/region.hpp"
#include "memory/next_touch/regions.hpp"
#include "memory/next_touch/userfault.hpp"
#include "memory/nodes.hpp"

namespace lares::memory {

/// One way's descriptor and the gate before its requests.
struct Watch {
  explicit Watch(const SystemCalls& calls) noexcept : userfault(calls) {}
  Userfault userfault;
  Gate gate;
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
        by_thread(calls),
        by_signal(calls) {}

  [[nodiscard]] Watch& watch_of(Way way) noexcept {
    return way == Way::userfault_thread ? by_thread : by_signal;
  }

  const SystemCalls calls;
  const Nodes& nodes;
  const std::uint64_t page;
  const MapsSource maps;
  Regions regions;
  Watch by_thread;
  Watch by_signal;
  /// Pages may be shared with a child, or were with a parent. Whoever forks writes, markers read.
  std::atomic<bool> forked{false};

  // Any thread, relaxed: statistics.
  std::atomic<std::uint64_t> areas{0};
  std::atomic<std::uint64_t> chunks{0};
  std::atomic<std::uint64_t> pages{0};
  std::atomic<std::uint64_t> nanoseconds{0};
  std::atomic<std::uint64_t> settled{0};
};

}  // namespace lares::memory
