// The child of a fork inside of a region: of the team there is one thread left.
#pragma once

#include "runtime/task.hpp"
#include "runtime/team.hpp"

namespace lares::runtime {

/// In the child, before its thread goes on: the teams that it is in have nobody else from now on.
/// What waited in the others' queues is moved where this thread looks; what they were running is
/// lost, as it is with the compilers' own runtimes.
void be_alone_after_fork() noexcept;

/// Runs what is queued until nothing is left: how the one thread of such a team meets the others.
void run_all_alone(Worker& worker) noexcept;

}  // namespace lares::runtime
