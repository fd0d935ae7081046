// What it means that the kernel will not say where memory is.
#pragma once

#include <span>

namespace lares::memory {

/// True for the errors by which a kernel or a container says "never": asking again is useless.
bool is_refusal(int error) noexcept;

/// Writes one sentence for the user into `out` (cut to fit, always ends with NUL): that move_pages
/// is refused with this error, what follows from it, and the remedy. Allocates nothing.
/// Precondition: `out` is not empty.
void describe_refusal(int error, std::span<char> out) noexcept;

}  // namespace lares::memory
