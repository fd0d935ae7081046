// Which pages of a range are there: in memory, or swapped out.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "memory/calls.hpp"
#include "memory/pointer.hpp"

namespace lares::memory {

/// Calls `use(address, there)` for each page of [begin, end). Of pages that the kernel does not
/// speak of, nothing is said. Safe in a signal handler.
template <class Use>
void for_each_page(const SystemCalls& calls, std::uintptr_t begin, std::uintptr_t end,
                   std::uint64_t page, Use&& use) noexcept {
  std::array<std::uint8_t, 512> there;
  for (std::uintptr_t at = begin; at < end; at += there.size() * page) {
    const std::uint64_t bytes = std::min<std::uint64_t>(end - at, there.size() * page);
    if (calls.resident(pointer(at), bytes, there.data()) < 0) continue;
    for (std::size_t i = 0; i < bytes / page; ++i) use(at + i * page, (there[i] & 1U) != 0);
  }
}

[[nodiscard]] inline bool has_absent_page(const SystemCalls& calls, std::uintptr_t begin,
                                          std::uintptr_t end, std::uint64_t page) noexcept {
  bool absent = false;
  for_each_page(calls, begin, end, page, [&](std::uintptr_t, bool there) { absent |= !there; });
  return absent;
}

}  // namespace lares::memory
