// Task reductions as GCC 9 and later lay them out: the compiler describes the items, the runtime
// keeps one private copy for each thread and finds it again.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/engine.hpp"

namespace lares::omp::gomp {

/// The compiler's record, a word array: [0] items, [1] bytes for one thread, [2] alignment and then
/// the copies' address, [3] allocator, [4] next record, [5] runtime's: set in the first record of a
/// registration, [6] end of the copies, then for each item: address, offset, runtime's.
/// Allocates zeroed copies for `threads` threads and puts the records in front of `older`.
void register_reductions(std::uintptr_t* data, std::uintptr_t* older, std::size_t threads) noexcept;
/// The same, with the copies that `first` (another thread's record of the construct) has.
void adopt_reductions(std::uintptr_t* data, std::uintptr_t* older,
                      const std::uintptr_t* first) noexcept;
/// The record of a taskgroup construct: for the innermost open group of the current task.
void register_with_group(runtime::Worker& worker, std::uintptr_t* data) noexcept;
/// Frees the copies of one registration.
void free_reductions(std::uintptr_t* data) noexcept;

/// `reduction(task, ...)` on a parallel region: every implicit task is in a group with the team's
/// record.
void enter_team_reduction(runtime::Worker& worker, void* data) noexcept;
void leave_team_reduction(runtime::Worker& worker) noexcept;

/// ... on a worksharing construct: the first thread registers, the others adopt.
void enter_workshare_reduction(runtime::Worker& worker, std::uintptr_t* data) noexcept;

}  // namespace lares::omp::gomp
