// What stands before each piece of memory that was allocated here: who owns it, and how to free it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/openmp/allocators/traits.hpp"

namespace lares::omp {

/// Where a piece of memory lies.
enum class Origin : std::uint8_t {
  heap,     ///< the C library's
  slab,     ///< a block of Slabs
  mapping,  ///< pages of its own
  homed,    ///< pages of its own that stand in the table of homes
};

/// The 32 bytes before the user's. Both stock runtimes keep as many or more before theirs, but for
/// memory of devices: see Store::may_own.
struct Header {
  void* base = nullptr;   ///< where the piece itself begins
  std::size_t bytes = 0;  ///< that the user asked for
  Handle allocator = null_allocator;
  std::uintptr_t seal = 0;
};
static_assert(sizeof(Header) == 32);

inline Header& header_of(void* memory) noexcept { return *(static_cast<Header*>(memory) - 1); }

inline constexpr std::uintptr_t origin_bits = 3;
inline constexpr std::uintptr_t limited_bit = 4;  ///< the bytes count in the allocator's pool
inline constexpr std::uintptr_t flag_bits = origin_bits | limited_bit;

/// A value that other memory does not hold by chance: made of the place itself and the base.
inline std::uintptr_t seal_of(const void* memory, const void* base, std::uintptr_t flags) noexcept {
  constexpr std::uintptr_t salt = 0x6C61726573AC0FF0;
  const std::uintptr_t mixed = (reinterpret_cast<std::uintptr_t>(memory) * 0x9E3779B97F4A7C15U) ^
                               reinterpret_cast<std::uintptr_t>(base) ^ salt;
  return (mixed & ~flag_bits) | flags;
}

inline bool is_ours(void* memory) noexcept {
  const Header& header = header_of(memory);
  return header.seal == seal_of(memory, header.base, header.seal & flag_bits);
}
/// Precondition of both: is_ours(memory).
inline Origin origin_of(void* memory) noexcept {
  return static_cast<Origin>(header_of(memory).seal & origin_bits);
}
inline bool is_limited(void* memory) noexcept {
  return (header_of(memory).seal & limited_bit) != 0;
}

/// The first place in `base` that is aligned and has room for a header before it.
inline void* user_part(void* base, std::size_t alignment) noexcept {
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(base) + sizeof(Header);
  return reinterpret_cast<void*>((first + alignment - 1) & ~(alignment - 1));
}

/// Writes the header of `memory`, which lies in `base`.
inline void* put_header(void* memory, void* base, std::size_t bytes, Handle allocator,
                        std::uintptr_t flags) noexcept {
  header_of(memory) = {base, bytes, allocator, seal_of(memory, base, flags)};
  return memory;
}

}  // namespace lares::omp
