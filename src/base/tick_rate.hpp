// How fast ticks() counts.
#pragma once

#include <cstdint>

namespace lares {

/// Ticks of ticks() in a microsecond, at least 1. On x86-64, where nothing tells it at once, what
/// is usual: right within a factor of two.
inline std::uint64_t ticks_per_microsecond() noexcept {
#if defined(__x86_64__)
  return 3000;
#elif defined(__aarch64__)
  // From 19 to 1000 MHz, by the maker's choice.
  std::uint64_t hertz = 0;
  asm("mrs %0, cntfrq_el0" : "=r"(hertz));
  return hertz < 1'000'000 ? 1 : hertz / 1'000'000;
#else
  return 1000;  // nanoseconds
#endif
}

}  // namespace lares
