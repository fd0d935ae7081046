// The lines of a roofline chart: what a team gets of each class of pairs, and what it computes.
#pragma once

#include <string>
#include <vector>

#include "model/figures.hpp"

namespace lares::model {

/// A slope of the chart.
struct MemoryRoof {
  bool local = true;
  std::uint32_t least_distance = 10;  ///< of its pairs, in the scale in which 10 is local
  std::uint32_t most_distance = 10;
  Bandwidth rate;  ///< of the whole team
};

/// A ceiling of the chart.
struct PeakRoof {
  Flops kind = Flops::fma;
  Peak peak;
};

/// The team reads memory that no cache holds: each thread the domain's own, and, for each class of
/// distances between a domain with threads and another, memory that is so far away. A class are
/// distances that differ by a tenth at most, as measured ones of equal pairs do. Local first, then
/// by distance.
std::vector<MemoryRoof> memory_roofs(const machine::Machine& machine, const Figures& figures,
                                     const Team& team);

/// Of the team, highest first; those that nobody measured are left out.
std::vector<PeakRoof> peak_roofs(const Figures& figures, const Team& team,
                                 const std::optional<Peak>& core_peak);

}  // namespace lares::model
