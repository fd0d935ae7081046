// How many mappings Lares makes of the program's memory.
#pragma once

#include <atomic>
#include <cstddef>

namespace lares::memory {

/// Neighbouring pages with different policies are different mappings, and a process may have 65,530
/// (vm.max_map_count): then the program's own mmap and malloc fail. So whoever gives pieces of a
/// range policies of their own takes as many from here first, and gives them back with the memory.
/// Thread safety: every function from any thread, none waits.
/// Invariant: what was taken and not given back is at most `most`.
class MappingBudget {
 public:
  /// Three libraries of ours may be in a process with a budget each: together less than 2/5 of what
  /// a process has.
  static constexpr std::size_t most = 8192;

  /// All or nothing.
  bool take(std::size_t count) noexcept {
    std::size_t left = left_.load(std::memory_order_relaxed);
    do {
      if (left < count) return false;
      // relaxed: nothing is published by it.
    } while (!left_.compare_exchange_weak(left, left - count, std::memory_order_relaxed));
    return true;
  }
  void give(std::size_t count) noexcept { left_.fetch_add(count, std::memory_order_relaxed); }
  [[nodiscard]] std::size_t left() const noexcept { return left_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t> left_{most};  ///< any thread
};

/// That of this library in this process.
MappingBudget& mapping_budget() noexcept;

}  // namespace lares::memory
