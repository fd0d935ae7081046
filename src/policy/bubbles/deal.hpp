// Who gets which part: entities are dealt by load to parts of the machine (Broquedis et al.
// 2010, 4.1: teammates together, every part its share).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "policy/bubbles/forest.hpp"

namespace lares::policy {

/// A part of the machine, and what is there already.
struct DealPart {
  double cores = 1;
  double load = 0;
  double threads = 0;

  [[nodiscard]] double load_with(double more) const noexcept { return (load + more) / cores; }
  [[nodiscard]] double threads_with(double more) const noexcept { return (threads + more) / cores; }
};

/// What is dealt. Those with the same parent, load and threads can be exchanged for each other.
struct DealPiece {
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

  EntityId entity;
  EntityId parent;
  double load = 1;
  double threads = 1;
  std::size_t home = nowhere;  ///< the part where it was last
  bool stays = false;          ///< in its home, whatever else is there
  std::size_t part = nowhere;  ///< the answer
};

/// Neighbours by number share a part, or get different ones as long as there are some.
enum class Neighbours : std::uint8_t { together, apart };

/// Fills in the parts: first those that stay, then those who return to a home that has its share
/// not yet, then the heaviest first to the least loaded part, its home if that is among them. Adds
/// what was dealt to `parts`. Equal pieces on equal parts differ by one at most.
void deal(std::span<DealPiece> pieces, std::span<DealPart> parts, Neighbours neighbours);

}  // namespace lares::policy
