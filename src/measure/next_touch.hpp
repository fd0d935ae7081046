// What it costs that pages move to the thread that touches them next.
#pragma once

#include <cstddef>
#include <vector>

#include "measure/parts.hpp"
#include "memory/next_touch/next_touch.hpp"

namespace lares::measure {

/// Pages of a chunk: what the interface in lares/memory.h takes if it is not told otherwise.
inline constexpr std::size_t next_touch_chunk = 64;

struct NextTouchRun {
  memory::WantedWay way = memory::WantedWay::automatic;
  std::size_t pages = 1;  ///< of the area; at most memory::pages_per_move
  std::size_t chunk = 1;  ///< pages that move as one
};

/// Nanoseconds per page for marking an area and touching each of its pages, one value per
/// repetition. Called by a thread that runs in domain `to`. Where both domains share a node nothing
/// moves, and the figure is what the marking, the faults and the copies cost by themselves. Empty
/// if the kernel does not allow that way; a repetition whose pages did not arrive has no value.
/// Errors: memory on a node that is refused.
Result<std::vector<double>> measure_next_touch(Bench& bench, DomainId from, DomainId to,
                                               const NextTouchRun& run);

}  // namespace lares::measure
