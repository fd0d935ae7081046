// Which memory was marked to move, and which moved.
#pragma once

#include "trace/findings/findings.hpp"

namespace lares::trace {

/// O(moves).
MoveFindings find_moves(const Trace& trace);

}  // namespace lares::trace
