// Memory that tasks share out by pointers into it, as recursions do.
//
// A task that sorts, transforms or multiplies a part of an array gives its children pointers into
// that part. Tasks of all depths together use the array evenly. So each belongs where the array
// would lie if it were dealt to the domains in equal parts, in order: then a whole subtree of the
// recursion has its data in one domain, but for those few at the top.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "decide/parts.hpp"
#include "decide/votes.hpp"

namespace lares::decide {

/// Of more domains none has a part.
inline constexpr std::size_t most_shares = 16;

/// An array begins behind its allocator's header, and ends somewhere in its last page: by no more
/// than this a part of its pages begins later than the same part of the array.
inline constexpr std::uint64_t beside_array = 4096;

/// In which of `parts` equal parts of `whole` a block is that begins at `address`. One that begins
/// just before the next part is in that: else the second half of an array would begin in the first.
inline std::size_t share_of(const Part& whole, std::uintptr_t address, std::size_t parts) noexcept {
  const std::uint64_t each = (whole.end - whole.begin) / parts + 1;
  const std::uint64_t inside = std::min(beside_array, each / 2);
  return std::min<std::size_t>((address - whole.begin + inside) / each, parts - 1);
}

/// The bytes of it that are in part `index`.
inline Part nth_share(const Part& whole, std::size_t index, std::size_t parts) noexcept {
  const std::uint64_t each = (whole.end - whole.begin) / parts + 1;
  return {whole.begin + std::min<std::uint64_t>(index * each, whole.end - whole.begin),
          whole.begin + std::min<std::uint64_t>((index + 1) * each, whole.end - whole.begin)};
}

/// Whether tasks share a piece of memory out, by how many had a pointer into each of its parts:
/// several into each, and not nearly all into one.
inline bool is_shared_out(std::span<const std::uint32_t> uses) noexcept {
  constexpr std::uint32_t several = 3;
  return std::ranges::all_of(uses, [](std::uint32_t each) { return each >= several; }) &&
         is_spread(uses, uses.size());
}

}  // namespace lares::decide
