// The large allocations that live at this moment.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "memory/repair/large_area.hpp"

namespace lares::allocation {

/// What is known of one.
struct LargePiece {
  std::size_t bytes = 0;
  std::size_t mappings = 0;  ///< that placing it has taken
};

/// A hash table of fixed size. What does not fit is not known.
/// Thread safety: every function from any thread, none waits. Invariant: a slot's `begin` is 0
/// (free), `taken` (being filled), or an address whose `piece` was written before it.
class LargeTable {
 public:
  /// False if there is no room near its hash.
  bool add(const void* memory, const LargePiece& piece) noexcept {
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    for (std::size_t i = 0; i < probes; ++i) {
      Slot& slot = slots_[(hash(begin) + i) % count];
      std::uintptr_t free = 0;
      // acquire: the slot's last owner has read its bytes.
      if (!slot.begin.compare_exchange_strong(free, taken, std::memory_order_acquire,
                                              std::memory_order_relaxed)) {
        continue;
      }
      slot.bytes.store(piece.bytes, std::memory_order_relaxed);
      slot.mappings.store(piece.mappings, std::memory_order_relaxed);
      slot.begin.store(begin, std::memory_order_release);  // release: with the piece
      live_.fetch_add(1, std::memory_order_relaxed);       // relaxed: a hint for remove()
      return true;
    }
    return false;
  }

  /// A hint.
  [[nodiscard]] bool is_empty() const noexcept {
    return live_.load(std::memory_order_relaxed) == 0;
  }

  /// Before the memory is given back, so that whoever gets it next cannot have added it yet.
  std::optional<LargePiece> remove(const void* memory) noexcept {
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    // relaxed: whoever frees a large piece knows of its add() by the way the pointer came to it.
    if (is_empty() || begin == 0) return std::nullopt;
    for (std::size_t i = 0; i < probes; ++i) {
      Slot& slot = slots_[(hash(begin) + i) % count];
      if (slot.begin.load(std::memory_order_relaxed) != begin) continue;
      const LargePiece piece{slot.bytes.load(std::memory_order_relaxed),
                             slot.mappings.load(std::memory_order_relaxed)};
      slot.begin.store(0, std::memory_order_release);  // release: after the piece was read
      live_.fetch_sub(1, std::memory_order_relaxed);
      return piece;
    }
    return std::nullopt;
  }

  /// At most `room` of them; pieces that come or go meanwhile may be missing.
  std::size_t list(memory::LargeArea* areas, std::size_t room) const noexcept {
    std::size_t found = 0;
    for (const Slot& slot : slots_) {
      if (found == room) break;
      const std::uintptr_t begin = slot.begin.load(std::memory_order_acquire);  // with its bytes
      if (begin == 0 || begin == taken) continue;
      areas[found++] = {begin, begin + slot.bytes.load(std::memory_order_relaxed)};
    }
    return found;
  }

 private:
  struct Slot {
    std::atomic<std::uintptr_t> begin{0};
    std::atomic<std::size_t> bytes{0};
    std::atomic<std::size_t> mappings{0};
  };
  static constexpr std::size_t count = 16384;
  static constexpr std::size_t probes = 8;
  static constexpr std::uintptr_t taken = 1;

  static std::size_t hash(std::uintptr_t begin) noexcept {
    return static_cast<std::size_t>((begin >> 12U) * 0x9E3779B97F4A7C15ULL >> 40U);
  }

  std::array<Slot, count> slots_{};
  std::atomic<std::size_t> live_{0};  ///< occupied slots; any thread
};

}  // namespace lares::allocation
