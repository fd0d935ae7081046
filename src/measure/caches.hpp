// How much memory a thread must use so that caches do not hide where it is.
#pragma once

#include <span>
#include <string>

#include "base/ids.hpp"
#include "base/result.hpp"

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

/// What a measurement takes of one node's memory at the same time.
struct NodeNeed {
  OsNode node;
  std::size_t footprints = 0;  ///< so many threads' ones
  Bytes room;                  ///< that the node can spare; 0: not known
};

/// `wanted`, or less so that no node is asked for more than half of its room: memory is bound to
/// its node, and a node that is full ends programs. An error if less than 1 MiB is left for a
/// thread.
Result<Bytes> fitting_footprint(Bytes wanted, std::span<const NodeNeed> needs);

}  // namespace lares::measure
