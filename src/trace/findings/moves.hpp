// Which memory was marked to move, which moved, and which threads went elsewhere.
#pragma once

#include <string>
#include <vector>

#include "trace/findings/findings.hpp"

namespace lares::trace {

/// O(moves).
MoveFindings find_moves(const Trace& trace);

/// A line of the table for people.
struct MoveRow {
  std::string what;
  MoveSums sums;
};

/// Those that happened at least once.
std::vector<MoveRow> move_rows(const MoveFindings& moves);

}  // namespace lares::trace
