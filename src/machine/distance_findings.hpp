// Distances by bandwidth, and what they tell that the firmware's table does not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "machine/machine.hpp"
#include "machine/measurements.hpp"

namespace lares::machine {

/// D(a, b) = 10 M(1, 1) / M(a, b), rounded (Schmidl 2016, section 2.3.2). M is `bandwidth` in any
/// unit, `size` rows of `size`, and 0 where nothing is known; so is D. Empty if M(1, 1) is unknown.
std::vector<std::uint32_t> distances_by_bandwidth(std::span<const std::uint32_t> bandwidth,
                                                  std::size_t size);

/// The two kinds of distances that a machine may have; either may be empty.
struct DistanceKinds {
  std::vector<std::uint32_t> slit;      ///< the firmware's
  std::vector<std::uint32_t> measured;  ///< by bandwidth; 0 where not known
};
DistanceKinds distance_kinds(const Machine& machine, const Measurements& measurements);

/// Differences below this ratio are taken for noise.
inline constexpr double notable_ratio = 1.1;

/// Pairs of different domains that the firmware puts at the same distance.
struct HiddenSpread {
  std::uint32_t slit = 0;  ///< what the firmware says of all of them
  std::size_t pairs = 0;
  std::uint32_t least = 0;  ///< measured
  std::uint32_t most = 0;
  DomainId least_from, least_to;  ///< the first pair with that distance
  DomainId most_from, most_to;
};

/// A pair that is notably farther in one direction.
struct Asymmetry {
  DomainId from, to;
  std::uint32_t there = 0;
  std::uint32_t back = 0;  ///< the smaller one
};

/// A domain that reaches another's memory notably faster than its own.
struct NearerStranger {
  DomainId domain, stranger;
  std::uint32_t own = 0;
  std::uint32_t other = 0;
};

/// Domains that are closer to each other than to all others.
struct DistanceGroups {
  std::vector<std::vector<DomainId>> groups;  ///< empty if there are none, or only one
  double inside = 0;     ///< the farthest step that joins domains of one group (mean of directions)
  double between = 0;    ///< the nearest step from one group to another
  bool in_slit = false;  ///< whether the firmware's table has the same groups
};

struct DistanceFindings {
  std::vector<HiddenSpread> hidden;       ///< by ratio, largest first
  std::vector<Asymmetry> asymmetric;      ///< by ratio, largest first
  std::vector<NearerStranger> strangers;  ///< by domain
  DistanceGroups groups;
};

/// What `measured` tells, and what of it `slit` hides; an empty `slit` hides nothing, since it says
/// nothing. Only the first `size` domains, those with cores, are compared; unknown pairs are left
/// out. `width` is the length of the matrices' rows. Groups are parted at the widest gap
/// in the steps of a minimal tree, if that is notable. O(size^2 log size).
DistanceFindings find_in_distances(const DistanceKinds& kinds, std::size_t width, std::size_t size);

}  // namespace lares::machine
