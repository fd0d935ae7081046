// Which part of the machine is a bubble's: that of a team whose master is a thread of another team.
#pragma once

#include <vector>

#include "policy/bubbles/forest.hpp"

namespace lares::policy {

/// The queues around the bubble's thread that has a core already, as wide as they hold no thread of
/// its siblings; free queues beside them belong to the one before. Without such a thread, or
/// without a bubble around: all that the bubble may use. They are one queue, or children of one.
std::vector<RunQueueId> share_of(const Forest& forest, EntityId bubble);

/// Where a bubble may be whatever its own queue is.
RunQueueId room_of(const Forest& forest, EntityId bubble);

/// A bubble and all bubbles in it into one queue.
void put_bubbles(Forest& forest, EntityId entity, RunQueueId queue);

}  // namespace lares::policy
