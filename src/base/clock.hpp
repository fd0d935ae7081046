// Time for measurements: a cheap tick counter for intervals, nanoseconds for reports.
#pragma once

#include <cstdint>
#include <ctime>

#include "base/disorder.hpp"
#include "base/ids.hpp"

namespace lares {

/// Monotonic time since an arbitrary start.
inline Nanoseconds now() noexcept {
#if LARES_DISORDER
  if (disorder::is_directed()) return {static_cast<std::int64_t>(disorder::director->ticks())};
#endif
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return {static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec};
}

/// The processor's constant-rate counter where there is one, else nanoseconds. Only differences
/// between readings have a meaning; scale them by readings of now() taken beside them.
inline std::uint64_t ticks() noexcept {
#if LARES_DISORDER
  if (disorder::is_directed()) return disorder::director->ticks();
#endif
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t value = 0;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#else
  return static_cast<std::uint64_t>(now().count);
#endif
}

}  // namespace lares
