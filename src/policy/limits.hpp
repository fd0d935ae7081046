// How much may wait where before its creator helps: what the runtime and the simulator must have in
// common beside the policies, for both to decide alike.
#pragma once

#include <cstdint>

namespace lares::policy::limits {

/// More tasks than this in one shared queue, and their creator runs some itself.
inline constexpr std::uint32_t shared_queue = 16384;
/// Queued tasks in a worker's own deque, for each worker of the team, that keep the others busy
/// while a creator runs one at once. A flat producer feeds the whole team.
inline constexpr std::uint32_t own_queue_per_worker = 32;
/// What a worker's deque holds at most. A power of two.
inline constexpr std::uint32_t deque = 4096;
/// A window of tasks with dependences, for each worker, beyond which their creator runs those that
/// are ready in its own place: they are warm in its caches, and the window keeps others fed.
inline constexpr std::uint32_t window_per_worker = 64;
/// How many ranges of a task decide where it goes: the first.
inline constexpr std::uint32_t deciding_accesses = 8;

}  // namespace lares::policy::limits
