// What this floor asks of the kernel, replaceable so that tests can play every kernel.
#pragma once

#include <cstddef>
#include <span>

namespace lares::memory {

/// The system calls. Each gives 0 or more on success and -errno on failure, and leaves the
/// program's errno alone.
struct Kernel {
  /// Where are these pages of this process? status[i] becomes a node's number or -errno.
  long (*where)(std::size_t count, void** pages, int* status) noexcept;
};

/// The kernel that this process runs on.
const Kernel& real_kernel() noexcept;

/// True for the errors by which a kernel or a container says "never": asking again is useless.
bool is_refusal(int error) noexcept;

/// Writes one sentence for the user into `out` (cut to fit, always ends with NUL): that move_pages
/// is refused with this error, what follows from it, and the remedy. Allocates nothing.
/// Precondition: `out` is not empty.
void describe_refusal(int error, std::span<char> out) noexcept;

}  // namespace lares::memory
