// Where the C library's allocator has the program's small pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "memory/maps.hpp"
#include "memory/repair/large_area.hpp"

namespace lares::memory {

/// The end of the heap that grows by brk. What lies below it when Lares is set up may be Lares'
/// own.
std::uintptr_t heap_end() noexcept;

/// Fills `areas` with the heap from `own_end` on and with the arenas that glibc makes for other
/// threads, without their first page, which holds the arena's lock, and without `pieces`, which are
/// known already and sorted by their begin; gives how many, at most areas.size(). Areas of less
/// than `least` bytes are left out. An arena is known by its place and by what stands at its begin;
/// other allocators have none.
/// Thread safety: any thread; allocates nothing. Complexity: mappings, and areas times pieces.
std::size_t find_heap_areas(const MapsSource& maps, std::uintptr_t own_end, std::size_t least,
                            std::span<const LargeArea> pieces, std::span<LargeArea> areas) noexcept;

}  // namespace lares::memory
