// Inside the engine: how workers find tasks.
#pragma once

#include <cstdint>

#include "runtime/task.hpp"
#include "runtime/team.hpp"

namespace lares::runtime {

/// A task that the worker may run now, from the places in the order of the steal policy; or
/// nullptr.
Task* find_work(Worker& worker) noexcept;

/// Where a worker that has found nothing for a while looks.
enum class Reach : std::uint8_t {
  policy,      ///< where its policy lets it, and for what it waits for in all places
  everywhere,  ///< in all places: the others may be gone
};

/// For a worker that has found nothing for long: a task that it may run, from any place, whatever
/// the steal policy; or nullptr. What it waits for must not lie where its policy never looks. It
/// also moves what its own deque holds to its domain's queue: it may run nothing of that, and
/// thieves of a deque see the oldest task only, behind which the one that another waits for may be
/// hidden. With Reach::policy a worker that may run any task looks only where nobody else does (see
/// standstill.hpp).
Task* find_awaited(Worker& worker, Reach reach) noexcept;

/// A task from the worker's own deque or its domain's queue that it may run now, or nullptr.
Task* take_own(Worker& worker) noexcept;

}  // namespace lares::runtime
