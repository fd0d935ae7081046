// A lower bound on every tour: the best 1-tree that a subgradient ascent finds.
#include <algorithm>
#include <cstdint>
#include <limits>

#include "machine/tour/tour.hpp"

namespace lares::machine {
namespace {

/// Penalties are multiples of 1/scale, so that small steps are whole numbers.
constexpr std::int64_t scale = 4096;
constexpr std::size_t most_rounds = 3'000;
/// Keeps graphs of a thousand vertices within about a second.
constexpr std::size_t work = 300'000'000;

using Penalties = std::vector<std::int64_t>;

/// A tree over the vertices 1.. and the two cheapest edges of vertex 0, for weights with penalties.
/// Every tour is such a thing, so none is shorter than the least of them.
struct OneTree {
  std::int64_t weight = 0;           ///< scaled; already without what the penalties add to a tour
  std::vector<std::int64_t> excess;  ///< by vertex: its degree less 2; all 0 in a tour
};

class OneTrees {
 public:
  explicit OneTrees(const TourGraph& graph) : graph_(graph) {}

  [[nodiscard]] OneTree least(const Penalties& penalties) const {
    OneTree tree{0, std::vector<std::int64_t>(graph_.size(), -2)};
    span_others(penalties, tree);
    join_first(penalties, tree);
    for (const std::int64_t penalty : penalties) tree.weight -= 2 * penalty;
    return tree;
  }

 private:
  [[nodiscard]] std::int64_t cost(const Penalties& penalties, std::size_t a, std::size_t b) const {
    return scale * graph_.weight(a, b) + penalties[a] + penalties[b];
  }

  void add(OneTree& tree, const Penalties& penalties, std::size_t a, std::size_t b) const {
    tree.weight += cost(penalties, a, b);
    ++tree.excess[a];
    ++tree.excess[b];
  }

  void span_others(const Penalties& penalties, OneTree& tree) const {
    std::vector<std::size_t> left;
    for (std::size_t v = 2; v < graph_.size(); ++v) left.push_back(v);
    std::vector<std::size_t> nearest(graph_.size(), 1);
    while (!left.empty()) {
      const auto next = std::min_element(left.begin(), left.end(), [&](auto a, auto b) {
        return cost(penalties, nearest[a], a) < cost(penalties, nearest[b], b);
      });
      const std::size_t joined = *next;
      add(tree, penalties, nearest[joined], joined);
      left.erase(next);
      for (const std::size_t v : left) {
        if (cost(penalties, joined, v) < cost(penalties, nearest[v], v)) nearest[v] = joined;
      }
    }
  }

  void join_first(const Penalties& penalties, OneTree& tree) const {
    std::vector<std::size_t> others;
    for (std::size_t v = 1; v < graph_.size(); ++v) others.push_back(v);
    std::partial_sort(others.begin(), others.begin() + 2, others.end(), [&](auto a, auto b) {
      return cost(penalties, 0, a) < cost(penalties, 0, b);
    });
    add(tree, penalties, 0, others[0]);
    add(tree, penalties, 0, others[1]);
  }

  const TourGraph& graph_;
};

/// Lengths are whole, so a bound may be rounded up.
std::uint64_t rounded_up(std::int64_t scaled) {
  return scaled <= 0 ? 0 : static_cast<std::uint64_t>((scaled + scale - 1) / scale);
}

}  // namespace

std::uint64_t tour_lower_bound(const TourGraph& graph, std::uint64_t upper) {
  if (graph.size() < 4) return upper;  // there is no other tour
  const OneTrees trees(graph);
  Penalties penalties(graph.size(), 0);
  std::int64_t best = 0;
  double boldness = 2.0;  // halved when the bound has not risen for a while
  std::size_t idle = 0;
  const std::size_t rounds = std::min(most_rounds, work / (graph.size() * graph.size()));
  for (std::size_t round = 0; round < rounds && boldness > 1e-4; ++round) {
    const OneTree tree = trees.least(penalties);
    std::int64_t squares = 0;
    for (const std::int64_t excess : tree.excess) squares += excess * excess;
    idle = tree.weight > best ? 0 : idle + 1;
    best = std::max(best, tree.weight);
    if (squares == 0 || rounded_up(best) >= upper) break;
    if (idle > 20) {
      boldness /= 2;
      idle = 0;
    }
    // Polyak's step: as far as the known tour lies above.
    const double gap = static_cast<double>(static_cast<std::int64_t>(upper) * scale - tree.weight);
    const auto step = static_cast<std::int64_t>(boldness * gap / static_cast<double>(squares));
    for (std::size_t v = 0; v < graph.size(); ++v) penalties[v] += step * tree.excess[v];
  }
  return std::min(upper, rounded_up(best));
}

}  // namespace lares::machine
