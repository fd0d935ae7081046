// Notes for a trace which threads of a team go elsewhere inside of a region.
#pragma once

#include <span>

#include "base/ids.hpp"

namespace lares::omp {

/// The thread with this number of the system, 0 for the calling one, runs on `cores` from now on,
/// which are not none. Thread safety: any thread. O(cores); a comparison without a trace.
void note_thread_move(int system_thread, std::span<const CoreId> cores) noexcept;

}  // namespace lares::omp
