// Inside the engine: a thread outside of a team makes one of its tasks ready, as when it fulfils an
// event (a library that waits for messages, a completion queue's thread).
#pragma once

#include "base/ids.hpp"
#include "runtime/task.hpp"
#include "runtime/team.hpp"

namespace lares::runtime {

/// Puts a ready task of `team` into the shared queue that the push policy, asked in the stead of
/// the task's creator, chooses by the data's homes; into the one that all visit if it goes by none.
/// Answers the domain of that queue, 0 for one above the domains. Any thread; one at a time, as
/// policies may keep state. The task may be gone afterwards.
DomainId put_from_outside(Team& team, Task& task) noexcept;

}  // namespace lares::runtime
