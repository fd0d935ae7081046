// Distances that are made up from what cores share, for machines that tell none.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/machine.hpp"
#include "machine/survey.hpp"

namespace lares::machine {

/// Distances by the narrowest thing that two cores share, in the SLIT's scale:
///   10 the same core or domain, 11 an l2 or l3, 12 a NUMA node, 16 a package, 18 a group,
///   20 nothing but the machine.
/// Only their order means something. Immutable; may be shared between threads.
class LevelDistances {
 public:
  static constexpr std::uint32_t same = 10;
  /// What two domains next to the same node are apart, at most.
  static constexpr std::uint32_t same_node = 12;

  LevelDistances(const std::vector<SharedSet>& sets, std::size_t core_count);

  /// Between two different cores. O(levels).
  [[nodiscard]] std::uint32_t between(CoreId a, CoreId b) const;
  /// From `core` to something that is attached to all of `near` (a memory without cores): the
  /// narrowest set with `core` and all of those. An empty `near` is somewhere in the machine.
  [[nodiscard]] std::uint32_t to_set(CoreId core, const std::vector<CoreId>& near) const;

 private:
  struct Set {
    std::size_t number;
    std::size_t size;
    Level level;
  };
  std::vector<std::vector<Set>> sets_of_;  // by core, narrowest first
};

/// The full matrix over `domains`: `near[d]` are the cores that domain d has or is attached to.
Distances level_distances(const LevelDistances& by_level, const std::vector<Domain>& domains,
                          const std::vector<std::vector<CoreId>>& near);

}  // namespace lares::machine
