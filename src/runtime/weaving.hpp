// Finds out whether a new series is woven (decide/weave.hpp): by its tasks' arguments, and by
// running three of them.
#pragma once

#include <span>

#include "decide/weave.hpp"
#include "runtime/team.hpp"

namespace lares::runtime {

/// By the arguments of a series' tasks, in the order in which they were made; those before `first`
/// are not there any more. O(tasks).
decide::Weave weave_by_arguments(std::span<Task* const> tasks, std::size_t first) noexcept;

/// Runs up to three tasks of a series, which nobody else can see: one, the last one of its period,
/// and the one a period after it; those that have run are null then. Answers what they show. While
/// the trial lasts, others leave alone what lies in the worker's deque; once
/// decide::weave_trial() has passed no further task is begun, nor if the first one touched nothing
/// new.
decide::MemoryOrder try_out_weave(Worker& worker, std::span<Task*, 3> tasks) noexcept;

}  // namespace lares::runtime
