// Bandwidth and latency of a crew on given memory.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "measure/crew.hpp"
#include "measure/kernels.hpp"

namespace lares::measure {

/// What each member works on: `work[member]` is its list of segments.
using Work = std::vector<std::vector<Segment>>;

/// How long, and how often.
struct Pace {
  Nanoseconds least_time{10'000'000};  ///< of one repetition; passes are added until it is reached
  std::size_t repeats = 5;
};

/// MB/s (10^6 bytes) of all members together, one value per repetition. One pass comes before them
/// and is not counted.
std::vector<double> bandwidth(Crew& crew, Kernel kernel, const Work& work, const Pace& pace);

/// Links the lines of [memory, memory + size) to a chain that visits every line once, in random
/// order (`seed`), so that neither caches nor prefetchers know the next one. Linked by the crew's
/// first member. Overwrites the first eight bytes of each line.
void link_chain(Crew& crew, std::byte* memory, Bytes size, std::uint64_t seed);

/// Nanoseconds per load along a linked chain, one value per repetition, by the crew's first member.
std::vector<double> latency(Crew& crew, const std::byte* memory, const Pace& pace);

}  // namespace lares::measure
