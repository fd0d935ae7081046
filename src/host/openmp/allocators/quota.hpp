// How much of its pool an allocator has given out, exactly, whoever asks at the same time.
#pragma once

#include <atomic>
#include <cstdint>

namespace lares::omp {

/// Counts the bytes that are in use, and remembers that the allocator was destroyed: whoever ends
/// its use, the destroyer or the last one to free, is told so, once.
/// Thread safety: every function from any thread; lock-free.
class Quota {
 public:
  explicit Quota(std::uint64_t limit) noexcept
      : limit_(limit < destroyed ? limit : destroyed - 1) {}

  /// False, and nothing changes, if so many more would be above the limit.
  bool take(std::uint64_t bytes) noexcept {
    std::uint64_t state = state_.load(std::memory_order_relaxed);
    do {
      const std::uint64_t used = state & ~destroyed;
      if (bytes > limit_ - used) return false;
      // relaxed: the count orders nothing but itself.
    } while (!state_.compare_exchange_weak(state, state + bytes, std::memory_order_relaxed));
    return true;
  }
  /// Gives taken bytes back. True if that was the last use of a destroyed allocator.
  bool give(std::uint64_t bytes) noexcept {
    // acq_rel: whoever deletes the allocator comes after everybody's use of it.
    return state_.fetch_sub(bytes, std::memory_order_acq_rel) - bytes == destroyed;
  }
  /// True if nothing is in use. Once only.
  bool destroy() noexcept { return state_.fetch_or(destroyed, std::memory_order_acq_rel) == 0; }

  [[nodiscard]] std::uint64_t used() const noexcept {
    return state_.load(std::memory_order_relaxed) & ~destroyed;
  }

 private:
  static constexpr std::uint64_t destroyed = std::uint64_t{1} << 63;
  const std::uint64_t limit_;
  std::atomic<std::uint64_t> state_{0};  ///< bytes in use, and the mark; any thread writes
};

}  // namespace lares::omp
