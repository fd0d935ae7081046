// Inside the engine: a thread outside of a team makes one of its tasks ready, as when it fulfils an
// event (a library that waits for messages, a completion queue's thread).
#pragma once

#include "base/ids.hpp"
#include "runtime/task.hpp"
#include "runtime/team.hpp"

namespace lares::runtime {

/// Puts a ready task of `team` into the shared queue where the push policy would have the task's
/// creator put it, by the data's homes. Answers the domain of that queue, 0 for one above the
/// domains. Any thread; one at a time, as policies may keep state. The task may be gone afterwards.
DomainId put_from_outside(Team& team, Task& task) noexcept;

}  // namespace lares::runtime
