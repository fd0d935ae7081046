// GCC's worksharing loops, as its combined constructs need them.
#pragma once

#include "host/openmp/loops.hpp"

namespace lares::omp::gomp {

/// A loop of `long`, at the code `site`, in a direction that the sign of the step tells.
inline runtime::LoopRequest loop_request(const void* site, long start, long end,
                                         long incr) noexcept {
  using Bits = unsigned long;
  const bool up = incr > 0;
  const bool runs = up ? start < end : start > end;
  const Bits distance = up ? Bits(end) - Bits(start) : Bits(start) - Bits(end);
  runtime::LoopRequest request;
  request.site = reinterpret_cast<std::uintptr_t>(site);
  request.bounds = {Bits(start), Bits(incr), Bits(end)};
  request.iterations = runs ? trips_before(up, distance, Bits(incr)) : 0;
  return request;
}

/// A loop of `unsigned long long`; down, its step is the complement of how far it goes.
inline runtime::LoopRequest loop_request(const void* site, bool up, unsigned long long start,
                                         unsigned long long end, unsigned long long incr) noexcept {
  const bool runs = up ? start < end : start > end;
  runtime::LoopRequest request;
  request.site = reinterpret_cast<std::uintptr_t>(site);
  request.bounds = {start, incr, end};
  request.iterations = runs ? trips_before(up, up ? end - start : start - end, incr) : 0;
  return request;
}

/// A size below 1 is the program's mistake, and is taken for 1.
inline std::uint64_t chunk_of(long chunk) noexcept {
  return chunk > 0 ? static_cast<std::uint64_t>(chunk) : 1;
}
inline std::uint64_t chunk_of(unsigned long long chunk) noexcept { return chunk > 0 ? chunk : 1; }

}  // namespace lares::omp::gomp
