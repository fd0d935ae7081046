// Tree, matching, walk, short cuts.
#include <algorithm>
#include <limits>

#include "machine/tour/matching.hpp"
#include "machine/tour/tour.hpp"

namespace lares::machine {
namespace {

/// Prim 1957. O(n^2), which is linear in the edges of a complete graph.
Pairs minimal_tree(const TourGraph& graph) {
  Pairs edges;
  std::vector<std::size_t> nearest(graph.size(), 0);
  std::vector<bool> inside(graph.size(), false);
  inside[0] = true;
  while (edges.size() + 1 < graph.size()) {
    std::size_t next = 0;
    std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
    for (std::size_t v = 0; v < graph.size(); ++v) {
      if (inside[v] || graph.weight(nearest[v], v) >= least) continue;
      least = graph.weight(nearest[v], v);
      next = v;
    }
    inside[next] = true;
    edges.emplace_back(nearest[next], next);
    for (std::size_t v = 0; v < graph.size(); ++v) {
      if (graph.weight(next, v) < graph.weight(nearest[v], v)) nearest[v] = next;
    }
  }
  return edges;
}

std::vector<std::size_t> odd_vertices(const Pairs& edges, std::size_t size) {
  std::vector<std::size_t> degree(size, 0);
  for (const auto& [a, b] : edges) {
    ++degree[a];
    ++degree[b];
  }
  std::vector<std::size_t> odd;
  for (std::size_t v = 0; v < size; ++v) {
    if (degree[v] % 2 == 1) odd.push_back(v);
  }
  return odd;
}

/// Hierholzer's closed walk over every edge, of which each vertex is kept where it comes first.
std::vector<std::size_t> short_cut_walk(const Pairs& edges, std::size_t size) {
  std::vector<std::vector<std::size_t>> edges_at(size);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    edges_at[edges[e].first].push_back(e);
    edges_at[edges[e].second].push_back(e);
  }
  std::vector<bool> used(edges.size(), false);
  std::vector<bool> seen(size, false);
  std::vector<std::size_t> path{0};
  std::vector<std::size_t> order;
  while (!path.empty()) {
    const std::size_t here = path.back();
    auto& ways = edges_at[here];
    while (!ways.empty() && used[ways.back()]) ways.pop_back();
    if (!ways.empty()) {
      const std::size_t edge = ways.back();
      used[edge] = true;
      path.push_back(edges[edge].first == here ? edges[edge].second : edges[edge].first);
      continue;
    }
    path.pop_back();
    if (!seen[here]) order.push_back(here);
    seen[here] = true;
  }
  return order;
}

}  // namespace

ChristofidesTour christofides_tour(const TourGraph& graph) {
  ChristofidesTour result;
  if (graph.size() < 2) {
    result.tour.order.assign(graph.size(), 0);
    return result;
  }
  Pairs edges = minimal_tree(graph);
  const auto odd = odd_vertices(edges, graph.size());
  result.matching_is_minimal = odd.size() <= max_minimal_matching;
  const Pairs pairs = match(graph, odd);
  edges.insert(edges.end(), pairs.begin(), pairs.end());
  result.tour.order = short_cut_walk(edges, graph.size());
  result.tour.length = length_of(graph, result.tour.order);
  return result;
}

}  // namespace lares::machine
