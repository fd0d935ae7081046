// Reads the ring into which the kernel writes its samples of page faults (perf_event_open(2)).
#pragma once

#include <linux/perf_event.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "memory/touches/page_touch.hpp"

namespace lares::memory {

/// PERF_SAMPLE_DATA_PAGE_SIZE, which headers have only since Linux 5.11.
inline constexpr std::uint64_t sample_page_size = std::uint64_t{1} << 22U;
/// What a sample must have in it; sample_page_size may be added.
inline constexpr std::uint64_t sample_parts =
    PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU;

/// The records between two positions of a ring. What it holds is not trusted: a record that cannot
/// be ends the reading. Pure; thread safety: none.
class PerfRing {
 public:
  /// `ring`: a power of two of bytes. Positions count bytes since the ring was made: `tail` is
  /// where reading stopped before, `head` where the kernel has got to.
  PerfRing(std::span<const std::byte> ring, std::uint64_t tail, std::uint64_t head) noexcept;

  /// The next touch of the program's memory; nothing when there is none before `head`.
  std::optional<PageTouch> next() noexcept;

  /// Touches that the kernel had no room for, as it says itself.
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }
  /// Records that are no touches, or of no kind that is known here: passed over.
  [[nodiscard]] std::uint64_t passed_over() const noexcept { return passed_over_; }
  /// What followed made no sense and was not read.
  [[nodiscard]] bool is_damaged() const noexcept { return is_damaged_; }

 private:
  template <class T>
  [[nodiscard]] T load(std::uint64_t position) const noexcept;
  std::optional<PageTouch> sample(std::uint64_t at, std::size_t size) noexcept;
  void pass(std::uint64_t at, std::uint32_t type, std::size_t size) noexcept;

  std::span<const std::byte> ring_;
  std::uint64_t at_;
  std::uint64_t head_;
  std::uint64_t lost_ = 0;
  std::uint64_t passed_over_ = 0;
  bool is_damaged_ = false;
};

}  // namespace lares::memory
