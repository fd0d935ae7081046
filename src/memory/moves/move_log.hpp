// Notes for a trace which memory and which threads move. Each library that moves some has a log of
// its own; all logs of a run share one file.
#pragma once

#include "memory/moves/move_event.hpp"

namespace lares::memory {

/// From here on what moves is noted in `path`, which is a MovesHead and room for events. Nothing
/// is noted if it is not there, or is something else. Call once, before memory moves.
void open_move_log(const char* path) noexcept;

/// Whether anybody reads what is noted: for callers whose event takes time to make. Thread safe.
[[nodiscard]] bool notes_moves() noexcept;

/// Adds an event of this process; `event.process`, and `event.thread` if it is 0, are filled in.
/// Thread safety: any thread, also in a signal handler; takes no lock and keeps errno.
/// O(1); nothing but a comparison without a log.
void note_move(MoveEvent event) noexcept;

}  // namespace lares::memory
