#include "machine/tour/matching.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>
#include <tuple>

namespace lares::machine {
namespace {

/// least[set] is the weight of a minimal matching of the vertices in `set`. The lowest vertex of a
/// set must be matched with one of the others: so each set asks at most k smaller ones.
Pairs minimal(const TourGraph& graph, std::span<const std::size_t> vertices) {
  const std::size_t sets = std::size_t{1} << vertices.size();
  std::vector<std::uint32_t> least(sets, std::numeric_limits<std::uint32_t>::max());
  std::vector<std::uint8_t> partner(sets, 0);
  least[0] = 0;
  for (std::size_t set = 3; set < sets; ++set) {
    if (std::popcount(set) % 2 != 0) continue;
    const auto low = static_cast<std::size_t>(std::countr_zero(set));
    for (std::size_t other = low + 1; other < vertices.size(); ++other) {
      if ((set >> other & 1U) == 0) continue;
      const std::size_t rest = set & ~(std::size_t{1} << low) & ~(std::size_t{1} << other);
      const std::uint32_t weight = least[rest] + graph.weight(vertices[low], vertices[other]);
      if (weight >= least[set]) continue;
      least[set] = weight;
      partner[set] = static_cast<std::uint8_t>(other);
    }
  }
  Pairs pairs;
  for (std::size_t set = sets - 1; set != 0;) {
    const auto low = static_cast<std::size_t>(std::countr_zero(set));
    const std::size_t other = partner[set];
    pairs.emplace_back(vertices[low], vertices[other]);
    set &= ~(std::size_t{1} << low) & ~(std::size_t{1} << other);
  }
  return pairs;
}

Pairs nearest_first(const TourGraph& graph, std::span<const std::size_t> vertices) {
  Pairs all;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) all.emplace_back(vertices[j], vertices[i]);
  }
  std::sort(all.begin(), all.end(), [&](const auto& a, const auto& b) {
    return std::tuple(graph.weight(a.first, a.second), a.second, a.first) <
           std::tuple(graph.weight(b.first, b.second), b.second, b.first);
  });
  std::vector<bool> taken(graph.size(), false);
  Pairs pairs;
  for (const auto& [a, b] : all) {
    if (taken[a] || taken[b]) continue;
    taken[a] = taken[b] = true;
    pairs.emplace_back(a, b);
  }
  return pairs;
}

/// Of the three ways to pair four vertices, the lightest; true if that changed anything.
bool exchange(const TourGraph& graph, Pairs::value_type& p, Pairs::value_type& q) {
  const auto [a, b] = p;
  const auto [c, d] = q;
  const std::uint32_t now = graph.weight(a, b) + graph.weight(c, d);
  const std::uint32_t straight = graph.weight(a, c) + graph.weight(b, d);
  const std::uint32_t crossed = graph.weight(a, d) + graph.weight(b, c);
  if (std::min(straight, crossed) >= now) return false;
  p = {a, straight <= crossed ? c : d};
  q = {b, straight <= crossed ? d : c};
  return true;
}

}  // namespace

Pairs match(const TourGraph& graph, std::span<const std::size_t> vertices) {
  assert(vertices.size() % 2 == 0);
  if (vertices.empty()) return {};
  if (vertices.size() <= max_minimal_matching) return minimal(graph, vertices);
  Pairs pairs = nearest_first(graph, vertices);
  for (bool gained = true; gained;) {  // ends: each exchange makes the whole lighter
    gained = false;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) gained |= exchange(graph, pairs[i], pairs[j]);
    }
  }
  return pairs;
}

}  // namespace lares::machine
