#include "host/openmp/team_places.hpp"

#include <algorithm>
#include <tuple>

namespace lares::omp {

namespace {

using Numbers = std::vector<std::uint16_t>;

Numbers free_places(std::span<const PlaceState> places, bool claimed,
                    std::optional<std::uint16_t> master) {
  Numbers list;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto place = static_cast<std::uint16_t>(i);
    if (places[i].free && places[i].claimed == claimed && place != master) list.push_back(place);
  }
  return list;
}

/// The `count` next free places after `from`, those of its domain first, and of those in its domain
/// and of the others each time the ones that nobody claims: to be near its master is worth more to
/// a team than to keep out of another's way.
Numbers nearest(std::span<const PlaceState> places, std::size_t count, std::uint16_t from) {
  Numbers list = free_places(places, false, from);
  const Numbers claimed = free_places(places, true, from);
  list.insert(list.end(), claimed.begin(), claimed.end());
  const auto rank = [&](std::uint16_t place) {
    const std::size_t after = (place + places.size() - from) % places.size();
    return std::tuple(places[place].domain != places[from].domain, places[place].claimed, after);
  };
  std::sort(list.begin(), list.end(),
            [&](std::uint16_t a, std::uint16_t b) { return rank(a) < rank(b); });
  list.resize(std::min(list.size(), count));
  return list;
}

/// `count` of `list`, at even distances.
Numbers evenly(const Numbers& list, std::size_t count) {
  Numbers chosen;
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(list[i * list.size() / count]);
  return chosen;
}

}  // namespace

std::optional<Numbers> places_for_team(std::span<const PlaceState> places, std::size_t size,
                                       TeamOrder order, std::optional<std::uint16_t> master,
                                       std::uint16_t start) {
  const auto is_before = [&](std::uint16_t a, std::uint16_t b) {
    return (a + places.size() - start) % places.size() <
           (b + places.size() - start) % places.size();
  };
  Numbers team;
  if (master) {
    team = nearest(places, size - 1, *master);
    team.insert(team.begin(), *master);
  }
  for (const bool claimed : {false, true}) {
    if (team.size() >= size || master) break;
    Numbers list = free_places(places, claimed, master);
    const std::size_t count = std::min(list.size(), size - team.size());
    std::sort(list.begin(), list.end(), is_before);
    if (order == TeamOrder::spread && count > 0) list = evenly(list, count);
    team.insert(team.end(), list.begin(), list.begin() + static_cast<std::ptrdiff_t>(count));
  }
  if (team.size() < size) return std::nullopt;
  // The master of a nested team stays where it is; else thread numbers follow the places.
  if (master) {
    std::sort(team.begin() + 1, team.end());
  } else {
    std::sort(team.begin(), team.end(), is_before);
  }
  return team;
}

}  // namespace lares::omp
