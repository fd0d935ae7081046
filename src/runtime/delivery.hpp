// Memory that a domain's workers are to bring to it.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "decide/parts.hpp"

namespace lares::runtime {

/// Invariant: whoever made `state` leave `empty` or `there` alone touches the parts, until it
/// makes it `there` or `empty` again. The creator of a team's tasks fills it, any of the
/// domain's workers empties it.
class Delivery {
 public:
  [[nodiscard]] bool is_empty() const noexcept {
    return state_.load(std::memory_order_acquire) == empty;  // what was there has been read
  }
  [[nodiscard]] bool is_there() const noexcept {
    return state_.load(std::memory_order_relaxed) == there;
  }
  /// Where is_empty(). The creator.
  void put(std::vector<decide::Part> parts) noexcept {
    parts_ = std::move(parts);
    state_.store(there, std::memory_order_release);  // who takes it sees them
  }
  /// Calls `bring(parts)` if nobody else has them.
  template <class Bring>
  void take(Bring bring) noexcept {
    std::uint32_t seen = there;
    if (!state_.compare_exchange_strong(seen, taken, std::memory_order_acquire)) return;
    bring(std::span<const decide::Part>(parts_));
    state_.store(empty, std::memory_order_release);  // see is_empty()
  }

 private:
  static constexpr std::uint32_t empty = 0;
  static constexpr std::uint32_t there = 1;
  static constexpr std::uint32_t taken = 2;
  std::atomic<std::uint32_t> state_{empty};
  std::vector<decide::Part> parts_;
};

}  // namespace lares::runtime
