// What a program asks of an allocator (OpenMP 5.2, 6.2), read and checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace lares::omp {

/// omp_allocator_handle_t of both compilers: 1 to 8 are the predefined allocators.
using Handle = std::uintptr_t;
inline constexpr Handle null_allocator = 0;
inline constexpr Handle default_mem_alloc = 1;
inline constexpr Handle large_cap_mem_alloc = 2;
inline constexpr Handle high_bw_mem_alloc = 4;
inline constexpr Handle last_predefined = 8;

/// omp_memspace_handle_t; the two of these that need not be the default memory.
using MemorySpace = std::uintptr_t;
inline constexpr MemorySpace default_mem_space = 0;
inline constexpr MemorySpace large_cap_mem_space = 1;
inline constexpr MemorySpace high_bw_mem_space = 3;
inline constexpr MemorySpace last_space = 4;

/// omp_alloctrait_t, as both compilers lay it out.
struct AllocatorTrait {
  int key = 0;
  std::uintptr_t value = 0;
};

enum class Fallback : std::uint8_t { default_memory, null, abort, allocator };
enum class Partition : std::uint8_t { environment, nearest, blocked, interleaved };

/// The traits that change where memory comes from. `sync_hint` and `access` are only checked: every
/// allocator here serves every thread.
struct Traits {
  std::size_t alignment = 1;
  std::size_t pool_size = SIZE_MAX;  ///< SIZE_MAX: no limit
  Fallback fallback = Fallback::default_memory;
  Handle fallback_allocator = null_allocator;
  bool pinned = false;
  Partition partition = Partition::environment;
};

/// Nothing if a trait is unknown, its value is not one of it, or allocator_fb lacks its fb_data.
/// Of a trait that is given twice the last counts. A value of omp_atv_default is the default.
std::optional<Traits> read_traits(std::span<const AllocatorTrait> list) noexcept;

/// What OMP_ALLOCATOR says: a predefined allocator, or a memory space with traits.
struct EnvironmentAllocator {
  Handle predefined = null_allocator;  ///< if it is not null_allocator, the rest means nothing
  MemorySpace space = default_mem_space;
  Traits traits;
};

/// "omp_high_bw_mem_alloc", or "omp_default_mem_space:partition=nearest,pinned=true" (OpenMP 5.2,
/// 21.5.1); case does not matter. Nothing if it is not understood.
std::optional<EnvironmentAllocator> read_environment(std::string_view text) noexcept;

}  // namespace lares::omp
