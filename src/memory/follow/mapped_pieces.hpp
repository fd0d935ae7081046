// Where the C library's allocator has the program's large pieces.
#pragma once

#include <cstddef>
#include <span>

#include "memory/calls.hpp"
#include "memory/maps.hpp"
#include "memory/repair/large_area.hpp"

namespace lares::memory {

/// Fills `areas` with the allocations of at least `least` bytes that glibc has mapped one by one,
/// where nobody tells of them (large_area.hpp); gives how many, at most areas.size(). One is known
/// by what stands at its begin, also where the kernel has made one mapping of several; other
/// allocators' pieces, and what a program maps by itself, are not found.
/// Thread safety: any thread; the program may free them meanwhile. Allocates nothing. Complexity:
/// mappings and pieces, a system call for each.
std::size_t find_mapped_pieces(const SystemCalls& calls, const MapsSource& maps, std::size_t least,
                               std::span<LargeArea> areas) noexcept;

}  // namespace lares::memory
