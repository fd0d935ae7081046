// A large piece of the program's data, as one library tells another.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lares::memory {

/// From here on a piece of data is worth a placement of its own.
inline constexpr std::size_t large_bytes = std::size_t{1} << 20U;

/// So large a piece is where glibc maps it by itself at first (its M_MMAP_THRESHOLD, which grows
/// with what the program frees). Where memory is only watched, such pieces are known one by one.
inline constexpr std::size_t mapped_bytes = std::size_t{128} << 10U;

/// Bytes [begin, end) of one allocation or of one library's zero-initialised variables.
struct LargeArea {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  [[nodiscard]] std::uint64_t bytes() const noexcept { return end - begin; }
};

/// The name and type under which liblares-placement.so tells the allocations that live at this
/// moment: at most `room` of them; gives how many.
inline constexpr const char* large_allocations_name = "lares_large_allocations";
using LargeAllocations = std::size_t (*)(LargeArea* areas, std::size_t room) noexcept;

}  // namespace lares::memory
