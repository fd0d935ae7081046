// Loops that come again: on how few of a domain's workers its part runs fastest.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace lares::decide {

/// A loop of a program: where it is, its size, and by how many it is run.
struct LoopName {
  std::uintptr_t site = 0;  ///< an address of code; 0: nobody has told
  std::uint64_t iterations = 0;
  std::uint64_t chunk = 0;
  std::size_t workers = 0;
  bool operator==(const LoopName&) const = default;

  /// A row of a table of 2^bits.
  [[nodiscard]] std::size_t row(unsigned bits) const noexcept {
    const std::uint64_t mixed = (site ^ (iterations << 20U) ^ (chunk << 40U)) + workers;
    return static_cast<std::size_t>((mixed * 0x9E3779B97F4A7C15ULL) >> (64U - bits));
  }
};

/// On how many of each domain's workers a loop runs. If its threads saturate the memory, fewer are
/// as fast, and leave it to others (ILAN). The search halves the number for as long as that makes
/// the loop faster by a twentieth: each number twice, the shorter time counts, after one instance
/// that meets cold caches. Begins anew if the loop becomes half as fast. One user at a time.
class LoopWidth {
 public:
  explicit LoopWidth(std::uint32_t most) noexcept : most_(std::max(most, 1U)) { restart(); }

  /// Of the next instance; 1 to `most`.
  [[nodiscard]] std::uint32_t width() const noexcept { return width_; }
  [[nodiscard]] bool is_settled() const noexcept { return settled_; }

  /// An instance of width() took so many ticks.
  void ran(std::uint64_t ticks) noexcept {
    if (settled_) return watch(ticks);
    if (cold_) {
      cold_ = false;
      return;
    }
    shortest_ = std::min(shortest_, ticks);
    if (++tries_ < tries_each) return;
    judge();
  }

 private:
  static constexpr std::uint32_t tries_each = 2;
  static constexpr std::uint32_t most_slow = 4;

  void restart() noexcept {
    width_ = best_width_ = most_;
    best_ = UINT64_MAX;
    slow_ = 0;
    settled_ = most_ == 1;
    cold_ = true;
    next_width(most_);
  }
  void next_width(std::uint32_t width) noexcept {
    width_ = width;
    tries_ = 0;
    shortest_ = UINT64_MAX;
  }
  void judge() noexcept {
    const bool better = best_ == UINT64_MAX || shortest_ < best_ - best_ / 20;
    if (better) {
      best_ = shortest_;
      best_width_ = width_;
    }
    settled_ = !better || width_ == 1;
    next_width(settled_ ? best_width_ : (width_ + 1) / 2);
  }
  void watch(std::uint64_t ticks) noexcept {
    if (most_ == 1) return;
    slow_ = ticks / 2 > best_ ? slow_ + 1 : 0;
    if (slow_ == most_slow) restart();
  }

  std::uint32_t most_;
  std::uint32_t width_ = 1;
  std::uint32_t best_width_ = 1;
  std::uint64_t best_ = 0;
  std::uint64_t shortest_ = 0;
  std::uint32_t tries_ = 0;
  std::uint32_t slow_ = 0;
  bool cold_ = true;
  bool settled_ = false;
};

}  // namespace lares::decide
