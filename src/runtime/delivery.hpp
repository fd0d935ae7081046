// Memory that a domain's workers are to bring to it: one part at a time.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/ids.hpp"

namespace lares::runtime {

/// Invariant: whoever made `state` leave `empty` or `there` alone touches `begin` and `end`, until
/// it makes it `there` or `empty` again. The creator of a team's tasks fills it, any of the
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
  void put(std::uintptr_t begin, std::uintptr_t end) noexcept {
    begin_ = begin;
    end_ = end;
    state_.store(there, std::memory_order_release);  // who takes it sees both
  }
  /// Calls `bring(begin, bytes)` if nobody else has it.
  template <class Bring>
  void take(Bring bring) noexcept {
    std::uint32_t seen = there;
    if (!state_.compare_exchange_strong(seen, taken, std::memory_order_acquire)) return;
    bring(begin_, Bytes{end_ - begin_});
    state_.store(empty, std::memory_order_release);  // see is_empty()
  }

 private:
  static constexpr std::uint32_t empty = 0;
  static constexpr std::uint32_t there = 1;
  static constexpr std::uint32_t taken = 2;
  std::atomic<std::uint32_t> state_{empty};
  std::uintptr_t begin_ = 0;
  std::uintptr_t end_ = 0;
};

}  // namespace lares::runtime
