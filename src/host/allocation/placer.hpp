// Puts fresh large memory where `lares run --placement` says.
#pragma once

#include <cstddef>

namespace lares::allocation {

/// Reads what `lares run` decided (LARES_SESSION, LARES_PLACEMENT) and places the program's large
/// zero-initialised variables. Without it, or on a machine with one node, place() does nothing.
/// False if memory is only watched, to follow its users or to lead them, and never placed.
bool set_up_placement() noexcept;

/// Places the whole pages of memory that was just allocated; no byte of it changes, and no page is
/// made. Gives how many mappings that took: unplace() gives them back. May be called while it is
/// already running on this thread: it then does nothing. Thread safety: any thread.
std::size_t place(void* memory, std::size_t bytes) noexcept;

/// Before the memory is freed, since an allocator may keep it for others.
void unplace(void* memory, std::size_t bytes, std::size_t mappings) noexcept;

}  // namespace lares::allocation
