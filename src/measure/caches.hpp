// How much memory a thread must use so that caches do not hide where it is.
#pragma once

#include <span>

#include "base/ids.hpp"

namespace lares::measure {

/// The last cache of `cpu` as the kernel lists it: its size, and how many of `cpus` share it. A
/// size of 0 if the kernel does not say.
struct LastCache {
  Bytes size;
  std::size_t sharers = 1;
};
LastCache last_cache(OsCpu cpu, std::span<const OsCpu> cpus);

/// Bytes for each of `cpus` so that together they use four times their last cache, at least 16 MiB
/// (Schmidl 2016, section 2.1.2) and at most 256 MiB.
Bytes memory_footprint(std::span<const OsCpu> cpus);

}  // namespace lares::measure
