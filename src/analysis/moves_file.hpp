// Reads the file `moves` of a trace folder (memory/moves/move_event.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "memory/moves/move_event.hpp"

namespace lares::analysis {

/// A file as it was read.
struct RecordedMoves {
  std::vector<memory::MoveEvent> events;  ///< in the file's order
  std::uint64_t over_limit = 0;           ///< events for which the file had no room
};

/// Any bytes are allowed. An Error says what is wrong with the head; events that make no sense are
/// left out. O(bytes).
Result<RecordedMoves> parse_moves(std::span<const std::byte> bytes);

}  // namespace lares::analysis
