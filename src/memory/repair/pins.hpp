// Whether a device may be writing to memory of this process.
#pragma once

namespace lares::memory {

/// True if the process has memory that is locked, or pinned for long. Where /proc cannot be read,
/// true, as for the next. Both allocate memory.
bool has_locked_memory() noexcept;

/// True if it has a descriptor by which pages can be pinned for a while: of a file with O_DIRECT,
/// of io_uring, of a device of a network or a graphics card.
bool may_pin_memory() noexcept;

}  // namespace lares::memory
