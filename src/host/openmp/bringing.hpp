// Data goes once to the domains whose tasks name it or have pointers to it. What tasks say is
// enough for that: nothing is watched, and the kernel moves the pages by itself, so that whoever
// uses them meanwhile, also inside of a system call, notices nothing but time. So it is done by
// default.
//
// A page goes only if it lies where it was first touched: what a policy of the memory, the thread
// or the process has placed is where somebody wants it (numactl, mbind, lares_alloc).
#pragma once

#include "base/ids.hpp"
#include "decide/parts.hpp"
#include "memory/migrate/migrate.hpp"
#include "runtime/engine.hpp"

namespace lares::omp {

/// Reads LARES_PLACEMENT: data is brought where it says nothing, and with `follow`. After the
/// engine was set up. Listens to the begin of work: whoever listens in its place calls the next.
void set_up_bringing() noexcept;

/// Work begins: what tasks share out by pointers is looked at, and what was left for want of time
/// goes on. Any thread; while one is at it, others do nothing. False if nothing will come of it any
/// more. O(1) where the work has no tasks.
bool bring_at_start_of(const runtime::Engine::StableWork& work) noexcept;

/// Pages that lie where nobody has placed them, or all.
enum class Movable : std::uint8_t { first_touched, all };

/// What came of it.
struct MovedParts {
  memory::MoveReport report;
  bool ran_out = false;  ///< of time: pages are left
};

/// Moves the pages whose middle is in one of the parts, to all domains at the same time, for no
/// longer than `most` (about: a batch of pages that has begun is ended). Any thread, which had
/// better hold no lock.
MovedParts move_parts(const decide::PartsByHome& parts, Nanoseconds most, Movable which);

}  // namespace lares::omp
