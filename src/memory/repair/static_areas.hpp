// The large zero-initialised variables of the program and its libraries (arrays of Fortran and C).
#pragma once

#include <cstddef>
#include <span>

#include "memory/repair/large_area.hpp"

namespace lares::memory {

/// Fills `areas` and gives how many there are, at most areas.size(). Whole pages only. The library
/// that holds this function is left out. Thread safety: any thread; not in a signal handler.
std::size_t find_static_areas(std::span<LargeArea> areas) noexcept;

}  // namespace lares::memory
