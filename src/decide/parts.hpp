// Memory that goes where the tasks are at home that work on it.
//
// Blocks that lie side by side and have one home go together. A block ends where the next one
// begins; where that is far away it has as many bytes as the shortest one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace lares::decide {

/// A block of data, by its first byte.
struct OwnedBlock {
  std::uintptr_t begin = 0;
  std::uint32_t home = 0;  ///< a number for it
};

/// Bytes [begin, end).
struct Part {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

/// Sorts them by address and leaves one of each. Answers how far the nearest two are from each
/// other, in bytes; the greatest number there is if they are fewer than two.
inline std::uint64_t put_in_order(std::vector<OwnedBlock>& blocks) {
  const auto begins_before = [](const OwnedBlock& a, const OwnedBlock& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.home < b.home;
  };
  const auto is_same = [](const OwnedBlock& a, const OwnedBlock& b) { return a.begin == b.begin; };
  std::sort(blocks.begin(), blocks.end(), begins_before);
  blocks.erase(std::unique(blocks.begin(), blocks.end(), is_same), blocks.end());
  std::uint64_t nearest = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    nearest = std::min<std::uint64_t>(nearest, blocks[i].begin - blocks[i - 1].begin);
  }
  return nearest;
}

/// Memory for each of some homes, by their numbers: in the order of memory for each.
using PartsByHome = std::vector<std::vector<Part>>;

/// Of larger blocks nobody knows what else lies in them, as between two mappings.
inline constexpr std::uint64_t largest_block = std::uint64_t{256} << 20U;

/// The memory of blocks that put_in_order() has sorted, with its answer. A single block has no
/// known end, and neither have blocks that lie worlds apart: then there is none.
inline PartsByHome parts_of(const std::vector<OwnedBlock>& blocks, std::uint64_t nearest) {
  PartsByHome homes;
  if (blocks.size() < 2 || nearest > largest_block) return homes;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const OwnedBlock& block = blocks[i];
    const std::uint64_t to_next =
        i + 1 < blocks.size() ? blocks[i + 1].begin - block.begin : nearest;
    const bool is_last = to_next > 2 * nearest;
    const std::uintptr_t end = block.begin + (is_last ? nearest : to_next);
    if (block.home >= homes.size()) homes.resize(block.home + 1);
    std::vector<Part>& parts = homes[block.home];
    if (!parts.empty() && parts.back().end == block.begin) {
      parts.back().end = end;
    } else {
      parts.push_back({block.begin, end});
    }
  }
  return homes;
}

}  // namespace lares::decide
