// New work of a team: what it touches first stays where it runs (series.hpp, taskloop.hpp).
#pragma once

#include <atomic>
#include <cstdint>

namespace lares::runtime {

/// Whether what is made now is new, so that what it touches first stays where it runs. A hint: all
/// accesses are relaxed, and of creators that begin or end at the same time one may be overlooked.
class SettlingWork {
 public:
  void begin() noexcept {
    const std::uint32_t number = number_.load(std::memory_order_relaxed);
    if (!is_open(number)) number_.store(number + 1, std::memory_order_relaxed);
  }
  void end() noexcept {
    const std::uint32_t number = number_.load(std::memory_order_relaxed);
    if (is_open(number)) number_.store(number + 1, std::memory_order_relaxed);
  }
  /// 0: none is; otherwise another number than before the last end().
  [[nodiscard]] std::uint32_t number() const noexcept {
    const std::uint32_t number = number_.load(std::memory_order_relaxed);
    return is_open(number) ? number : 0;
  }

 private:
  static bool is_open(std::uint32_t number) noexcept { return number % 2 != 0; }
  std::atomic<std::uint32_t> number_{0};
};

}  // namespace lares::runtime
