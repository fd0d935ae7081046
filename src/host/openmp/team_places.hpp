// Which places a team's threads get: the rule alone, without threads and system calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lares::omp {

/// What is known of one place (one core) when a team looks for places.
struct PlaceState {
  std::uint16_t domain = 0;
  bool free = false;     ///< the team may run there, and no other thread of a team is bound there
  bool claimed = false;  ///< another master's team was there last, and is likely to come back
};

enum class TeamOrder : std::uint8_t {
  spread,  ///< as far from each other as places allow: every domain gets its share of a small team
  close,   ///< beside each other
};

/// The place of each thread of a team of `size`, by thread number, or nothing if there are not
/// enough free ones: the team then runs unbound, because threads that share a core with others
/// while other cores are idle, and cannot leave it, are worse off than without binding. `master`:
/// the place of the thread that makes the team, if it has one from an outer team; the team then
/// stays near it. Else `start`, the first place of a domain, is where counting begins, in a circle:
/// thread 0 meets what its master wrote there before. A place that nobody claims is taken before
/// one that is claimed (of a master's team, if they are as near), so that teams which run in turn
/// or at the same time keep out of each other's way. Places are numbered so that those of a domain
/// are beside each other. O(places log places).
std::optional<std::vector<std::uint16_t>> places_for_team(std::span<const PlaceState> places,
                                                          std::size_t size, TeamOrder order,
                                                          std::optional<std::uint16_t> master,
                                                          std::uint16_t start = 0);

}  // namespace lares::omp
