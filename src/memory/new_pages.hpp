// Which pages a thread has come to first, between two looks, and where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "memory/calls.hpp"
#include "memory/maps.hpp"
#include "memory/reserve.hpp"

namespace lares::memory {

/// Looks at the process's own large memory of no file, at mappings that are `most_pages` pages
/// together; those that are too large for that are left out.
/// Thread safety: one user at a time. What others touch meanwhile is seen as well.
class NewPages {
 public:
  /// The most pages that are new since the last look and lie near each other, as a task's part of
  /// one array: from the first new one to the end of the last.
  struct Found {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    std::uint64_t pages = 0;
  };

  /// 16 GiB in pages of four KiB.
  static constexpr std::uint64_t most_pages = std::uint64_t{1} << 22U;
  static constexpr std::size_t most_areas = 4096;
  static constexpr std::size_t most_told = 65536;

  NewPages(const SystemCalls& calls, const MapsSource& maps, Bytes page) noexcept;
  /// False if there is none to be looked at.
  [[nodiscard]] bool can_look() const noexcept { return count_ > 0; }
  /// O(pages). The first look tells of all that is there.
  Found look() noexcept;
  /// All pages that the last look has found to be new, also those of other arrays, ascending: the
  /// first `most_told`.
  [[nodiscard]] std::span<const std::uintptr_t> all_found() const noexcept {
    return {told(), told_count_};
  }
  /// From now on looks only at the mapping in which the last look found most, if at any.
  void stay_where_most_was_found() noexcept;

 private:
  class Clusters;
  struct Area {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
  };
  [[nodiscard]] Area* areas() const noexcept { return static_cast<Area*>(areas_memory_.data()); }
  [[nodiscard]] std::uintptr_t* told() const noexcept {
    return static_cast<std::uintptr_t*>(told_memory_.data());
  }
  void choose(const MapsSource& maps) noexcept;
  void compare(std::uintptr_t begin, std::span<std::uint8_t> before,
               std::span<const std::uint8_t> now, Clusters& found) noexcept;
  bool ask(std::uintptr_t begin, std::uint64_t pages, std::uint8_t* out) const noexcept;

  const SystemCalls& calls_;
  std::uint64_t page_;
  Reserve areas_memory_;   ///< of `most_areas`
  std::size_t first_ = 0;  ///< those before are not looked at
  std::size_t count_ = 0;
  std::uintptr_t most_at_ = 0;  ///< where the last look found most, or 0
  std::uint64_t pages_ = 0;
  Reserve told_memory_;  ///< of `most_told`
  std::size_t told_count_ = 0;
  /// As mincore says it: a byte a page, in the areas' order, of the last look, and behind that of
  /// the present one.
  Reserve seen_;
};

}  // namespace lares::memory
