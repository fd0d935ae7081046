// A number per area of memory that goes up when what was known of the area may be wrong.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/ids.hpp"

namespace lares::memory {

/// Areas of 32 MiB; areas that are 32 GiB apart share a number, which costs needless checks only.
/// The numbers wrap at 64: a fact that missed exactly 64 changes passes for new.
/// Thread safety: every function from any thread.
class Generations {
 public:
  static constexpr std::uint64_t max = 63;

  [[nodiscard]] std::uint64_t of(std::uintptr_t address) const noexcept {
    // relaxed: a hint; a thread that is late trusts an old fact a moment longer.
    return areas_[area(address)].load(std::memory_order_relaxed) & max;
  }
  void bump(std::uintptr_t address) noexcept {
    areas_[area(address)].fetch_add(1, std::memory_order_relaxed);  // relaxed: as above
  }
  /// Bumps the areas that lie wholly inside the range: a small range leaves its neighbours alone.
  void bump_inside(std::uintptr_t address, Bytes length) noexcept {
    const std::uintptr_t beyond =
        address + (length.count < UINTPTR_MAX - address ? length.count : UINTPTR_MAX - address);
    const std::uintptr_t first = (address >> area_shift) + ((address & area_mask) != 0 ? 1U : 0U);
    const std::uintptr_t end = beyond >> area_shift;
    for (std::uintptr_t i = first; i < end && i - first < count; ++i) bump(i << area_shift);
  }

 private:
  static constexpr unsigned area_shift = 25;
  static constexpr std::uintptr_t area_mask = (std::uintptr_t{1} << area_shift) - 1;
  static constexpr std::size_t count = 1024;
  static_assert(std::has_single_bit(count));

  static std::size_t area(std::uintptr_t address) noexcept {
    return (address >> area_shift) & (count - 1);
  }

  std::array<std::atomic<std::uint8_t>, count> areas_{};  ///< any thread writes and reads
};

}  // namespace lares::memory
