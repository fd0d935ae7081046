// Where code is, as a file knows it: the process's own addresses are gone when others read of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lares::runtime {

/// Writes the path of the file that has the code at `code`, cut to fit and ended by NUL, "" if
/// unknown, into `file`; answers the code's offset in that file's image, or `code` itself. Takes no
/// lock and allocates nothing, so it may be called anywhere. Precondition: `file` is not empty.
std::uint64_t place_of_code(std::uintptr_t code, std::span<char> file) noexcept;

}  // namespace lares::runtime
