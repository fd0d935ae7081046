// Which tasks make tasks of their own, and where those were at home.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/ids.hpp"

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
  /// Of one branch, the same in every round: of its construct, its depth and what it points to. Few
  /// of some thousand share one, and these have each other's homes. 0 is none.
  using Name = std::uint16_t;

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

  /// Of a branch of that kind, so deep, whose pointers have this hash; 0 if it is too deep for the
  /// table of all.
  [[nodiscard]] static Name name_of(Kind kind, std::uint32_t depth,
                                    std::uint32_t pointers) noexcept {
    if (kind == 0 || depth >= named_depths) return 0;
    const std::uint32_t mixed =
        (pointers ^ (std::uint32_t{kind} << 24U) ^ (depth << 16U)) * 0x9E3779B1U;
    return static_cast<Name>(mixed >> 16U);
  }
  /// It makes a task whose data is in that domain. Who computes where its part begins after it has
  /// been made, as `a + half` among the arguments of a call, points to somebody else's.
  void tell_part(Name name, DomainId home) noexcept {
    if (name == 0 || !home.valid()) return;
    std::atomic<std::uint16_t>& seen = parts_[name];
    const auto now = static_cast<std::uint16_t>(home.index() + 1);
    if (seen.load(std::memory_order_relaxed) != now) seen.store(now, std::memory_order_relaxed);
  }
  /// Where it has made tasks before: an invalid id if that is not known.
  [[nodiscard]] DomainId home_of_parts(Name name) const noexcept {
    const std::uint16_t seen = parts_[name].load(std::memory_order_relaxed);
    return seen == 0 ? DomainId{} : DomainId{std::size_t{seen} - 1};
  }

 private:
  static constexpr std::uint32_t depths = 64;
  static constexpr std::uint32_t named_depths = 12;
  struct Row {
    std::atomic<std::uintptr_t> code{0};  ///< once set, constant
    std::atomic<std::uint64_t> depths{0};
  };
  std::array<Row, 128> rows_;                                  ///< the first one stays empty
  std::array<std::atomic<std::uint16_t>, 1U << 16U> parts_{};  ///< of names; 0: not known
};

}  // namespace lares::runtime
