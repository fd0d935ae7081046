#include "machine/distances.hpp"

#include <algorithm>
#include <tuple>

namespace lares::machine {
namespace {

std::uint32_t distance_within(Level level) {
  switch (level) {
    case Level::core:
      return LevelDistances::same;
    case Level::l2:
    case Level::l3:
      return 11;
    case Level::numa:
      return LevelDistances::same_node;
    case Level::package:
      return 16;
    case Level::group:
      return 18;
    default:
      return 20;
  }
}

/// Between two different domains; one without cores is as far as all that it is attached to.
std::uint32_t between_domains(const LevelDistances& by_level, const Domain& a,
                              const std::vector<CoreId>& near_a, const Domain& b,
                              const std::vector<CoreId>& near_b) {
  if (!a.cores.empty() && !b.cores.empty()) {
    return by_level.between(a.cores.front(), b.cores.front());
  }
  if (!a.cores.empty()) return by_level.to_set(a.cores.front(), near_b);
  if (!b.cores.empty()) return by_level.to_set(b.cores.front(), near_a);
  if (near_a.empty() || near_b.empty()) return by_level.to_set(CoreId{0}, {});
  return std::max(by_level.to_set(near_a.front(), near_b), by_level.to_set(near_b.front(), near_a));
}

}  // namespace

LevelDistances::LevelDistances(const std::vector<SharedSet>& sets, std::size_t core_count)
    : sets_of_(core_count) {
  for (std::size_t s = 0; s < sets.size(); ++s) {
    for (const CoreId core : sets[s].cores) {
      sets_of_[core.index()].push_back({s, sets[s].cores.size(), sets[s].level});
    }
  }
  for (auto& list : sets_of_) {
    std::sort(list.begin(), list.end(), [](const Set& a, const Set& b) {
      return std::tuple(a.size, -static_cast<int>(a.level), a.number) <
             std::tuple(b.size, -static_cast<int>(b.level), b.number);
    });
  }
}

std::uint32_t LevelDistances::between(CoreId a, CoreId b) const {
  const auto& others = sets_of_[b.index()];
  for (const Set& set : sets_of_[a.index()]) {
    const bool shared = std::any_of(others.begin(), others.end(),
                                    [&](const Set& other) { return other.number == set.number; });
    if (shared) return distance_within(set.level);
  }
  return distance_within(Level::machine);
}

std::uint32_t LevelDistances::to_set(CoreId core, const std::vector<CoreId>& near) const {
  if (near.empty()) return distance_within(Level::machine);
  std::uint32_t farthest = 0;
  for (const CoreId other : near) {
    if (other != core) farthest = std::max(farthest, between(core, other));
  }
  // Memory beside a single core is still outside of it.
  return std::max(farthest, same_node);
}

Distances level_distances(const LevelDistances& by_level, const std::vector<Domain>& domains,
                          const std::vector<std::vector<CoreId>>& near) {
  Distances distances;
  distances.size = domains.size();
  distances.source = "levels";
  for (std::size_t from = 0; from < domains.size(); ++from) {
    for (std::size_t to = 0; to < domains.size(); ++to) {
      distances.values.push_back(
          from == to ? LevelDistances::same
                     : between_domains(by_level, domains[from], near[from], domains[to], near[to]));
    }
  }
  return distances;
}

}  // namespace lares::machine
