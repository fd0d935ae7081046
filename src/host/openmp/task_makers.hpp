// Whether anything in the process can make OpenMP tasks.
#pragma once

namespace lares::omp {

/// False if nothing that is loaded and needs an OpenMP runtime asks the linker for an entry point
/// by which compilers make tasks, and no region has made one that was taken for one without. Code
/// that finds such an entry point by itself, as a just-in-time compiler does, is not seen before.
/// Thread safety: any thread. Complexity: a call of the linker, unless the answer was true before;
/// linear in the relocations of these objects if any were loaded since the last call.
bool may_make_tasks() noexcept;

/// A region that was taken for one without tasks has made one.
void note_task_maker() noexcept;

}  // namespace lares::omp
