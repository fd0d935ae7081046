// Inside the engine: workers on whom nobody may count.
//
// A steal policy may leave places to their own workers. But these may be waiting, outside of
// OpenMP, for the very tasks that lie there: for a message that one of them sends, or in a lock.
// With the stock runtimes any idle thread runs such tasks. So whoever is idle looks into what
// belongs to workers who have given no sign of life for long, whatever its policy.
#pragma once

#include "base/ids.hpp"
#include "runtime/team.hpp"

namespace lares::runtime {

/// True if the worker whose place this is, or each worker whose domain's it is, has been seen for
/// two seconds neither to make nor to end a task, nor to find one after a wait, and does not wait
/// at a barrier: it may be in one long task, or never come. Any worker of the team may ask; the
/// time begins with the first question after the last sign.
bool is_left_alone(const Team& team, PlaceId place) noexcept;

}  // namespace lares::runtime
