// One question to the kernel: in which NUMA node is most of this range?
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/ids.hpp"
#include "memory/calls.hpp"

namespace lares::memory {

/// Whole pages, by number (address / page size).
struct PageRange {
  std::uint64_t first = 0;
  std::uint64_t count = 1;  ///< at least 1
};

/// The pages that hold [address, address + length); length 0 means one byte.
inline PageRange pages_of(std::uintptr_t address, Bytes length, unsigned page_shift) noexcept {
  const std::uint64_t beyond = length.count == 0 ? 0 : length.count - 1;
  const std::uint64_t last = address + std::min<std::uint64_t>(beyond, UINTPTR_MAX - address);
  const std::uint64_t first = address >> page_shift;
  return {first, (last >> page_shift) - first + 1};
}

/// What the kernel said.
struct PageAnswer {
  enum class State : std::uint8_t {
    found,     ///< `node` holds most of the pages that exist, and they are most of the range
    unplaced,  ///< at least half of the pages do not exist yet: the first write decides
    unknown,   ///< not mapped, or an error that may pass
    refused,   ///< the kernel will never tell; `error` says why
  };
  State state = State::unknown;
  OsNode node;
  int error = 0;  ///< errno; 0 if the call succeeded
};

/// True if the page at that address is part of a mapping. Before Linux 6.12 the kernel says of a
/// private page that nobody has written to what it says where nothing is mapped: -EFAULT.
bool is_mapped(const SystemCalls& calls, std::uintptr_t page, Bytes bytes) noexcept;

inline constexpr std::size_t max_sampled_pages = 64;

/// Asks once, about at most `samples` pages (1 to max_sampled_pages) spread over the range.
/// Microseconds. Thread safety: any thread.
PageAnswer ask_where(const SystemCalls& calls, PageRange range, unsigned page_shift,
                     std::size_t samples) noexcept;

}  // namespace lares::memory
