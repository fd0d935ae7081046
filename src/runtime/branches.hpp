// Which tasks make tasks of their own.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace lares::runtime {

/// Of the process: whether tasks of a construct, of one depth of nesting, have made tasks. In a
/// recursion those are its *branches*, and at the same depth of the same construct they will be
/// again; the others are its *leaves*.
///
/// Any thread calls, at any time. All is a hint, so all orders are relaxed: what gets lost when two
/// constructs begin at the same time is seen again with the next task.
class Branches {
 public:
  /// Of a construct: 0 is none.
  using Kind = std::uint8_t;

  static Branches& instance() noexcept;

  /// Of the construct at `code` (not 0); 0 if there are too many. O(1).
  Kind kind_of(std::uintptr_t code) noexcept;
  /// A task of that kind, so deep, makes one.
  void tell(Kind kind, std::uint32_t depth) noexcept {
    if (kind == 0 || depth >= depths) return;
    std::atomic<std::uint64_t>& seen = rows_[kind].depths;
    const std::uint64_t bit = std::uint64_t{1} << depth;
    if ((seen.load(std::memory_order_relaxed) & bit) == 0) {
      seen.fetch_or(bit, std::memory_order_relaxed);
    }
  }
  [[nodiscard]] bool are_branches(Kind kind, std::uint32_t depth) const noexcept {
    if (kind == 0 || depth >= depths) return false;
    return (rows_[kind].depths.load(std::memory_order_relaxed) >> depth & 1U) != 0;
  }

 private:
  static constexpr std::uint32_t depths = 64;
  struct Row {
    std::atomic<std::uintptr_t> code{0};  ///< once set, constant
    std::atomic<std::uint64_t> depths{0};
  };
  std::array<Row, 128> rows_;  ///< the first one stays empty
};

}  // namespace lares::runtime
