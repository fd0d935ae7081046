// How much memory a thread came to that nobody had touched before.
#pragma once

#include <cstdint>

namespace lares::runtime {

/// Pages that the calling thread has touched first since it began: its page faults that read
/// nothing from a disk. 0 where the kernel does not count them. One system call.
std::uint64_t pages_touched_first() noexcept;

}  // namespace lares::runtime
