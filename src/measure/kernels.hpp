// What is done to memory while its bandwidth is measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/ids.hpp"

namespace lares::measure {

enum class Kernel : std::uint8_t {
  read,    ///< sum of a
  write,   ///< a = 1
  update,  ///< a = 1 - a: each number is read and written, and counted twice
  copy,    ///< a = b
  triad    ///< a = b + 3 c
};
inline constexpr Kernel all_kernels[] = {Kernel::read, Kernel::write, Kernel::update, Kernel::copy,
                                         Kernel::triad};

std::string_view kernel_name(Kernel kernel) noexcept;
/// How many arrays it has.
std::size_t arrays_of(Kernel kernel) noexcept;
/// How often it names a number of its arrays: bandwidth counts each name once, as STREAM does, and
/// not that a cache may read a line before it is written.
std::size_t accesses_of(Kernel kernel) noexcept;

/// A piece of work for one thread: `count` numbers in each array that the kernel has.
struct Segment {
  double* a = nullptr;
  double* b = nullptr;
  double* c = nullptr;
  std::size_t count = 0;
};

/// Cuts `memory` into the arrays of `kernel`, of whole lines each; together they fill it.
Segment segment_in(Kernel kernel, std::byte* memory, Bytes size) noexcept;

/// One pass over all segments. The result depends on what was read, so no pass can be left out.
double run_kernel(Kernel kernel, std::span<const Segment> segments) noexcept;

/// Fills memory with ones: where there is no page yet, one appears.
void touch(std::byte* memory, Bytes size) noexcept;

}  // namespace lares::measure
