// 2-opt and Or-opt moves from disturbed tours.
#include <algorithm>
#include <utility>

#include "base/random.hpp"
#include "machine/tour/tour.hpp"

namespace lares::machine {
namespace {

using Order = std::vector<std::size_t>;

/// Work for about a tenth of a second: small graphs are disturbed often, large ones seldom.
constexpr std::size_t search_work = 20'000'000;
constexpr std::size_t most_restarts = 2'000;
constexpr std::size_t longest_part = 3;

std::uint32_t between(const TourGraph& graph, const Order& order, std::size_t i, std::size_t j) {
  return graph.weight(order[i % order.size()], order[j % order.size()]);
}

/// Reverses order[i + 1 .. j] wherever that is shorter. True if it was anywhere.
bool reverse_parts(const TourGraph& graph, Order& order) {
  bool gained = false;
  for (std::size_t i = 0; i + 2 < order.size(); ++i) {
    for (std::size_t j = i + 2; j < order.size(); ++j) {
      const std::uint32_t now = between(graph, order, i, i + 1) + between(graph, order, j, j + 1);
      const std::uint32_t then = between(graph, order, i, j) + between(graph, order, i + 1, j + 1);
      if (then >= now) continue;
      std::reverse(order.begin() + static_cast<std::ptrdiff_t>(i + 1),
                   order.begin() + static_cast<std::ptrdiff_t>(j + 1));
      gained = true;
    }
  }
  return gained;
}

/// Moves the first `count` vertices of `order` to where they cost least, in either direction. True
/// if that is shorter than where they were.
bool move_front(const TourGraph& graph, Order& order, std::size_t count) {
  const std::size_t size = order.size();
  const std::size_t head = order[0];
  const std::size_t tail = order[count - 1];
  const auto cost = [&](std::size_t left, std::size_t first, std::size_t last, std::size_t right) {
    return std::int64_t{graph.weight(left, first)} + graph.weight(last, right) -
           graph.weight(left, right);
  };
  std::int64_t least = cost(order[size - 1], head, tail, order[count]);
  std::size_t place = 0;
  bool turned = false;
  for (std::size_t i = count; i + 1 < size; ++i) {
    for (const bool turn : {false, true}) {
      const std::int64_t there =
          cost(order[i], turn ? tail : head, turn ? head : tail, order[i + 1]);
      if (there >= least) continue;
      least = there;
      place = i;
      turned = turn;
    }
  }
  if (place == 0) return false;
  const auto part = order.begin() + static_cast<std::ptrdiff_t>(count);
  if (turned) std::reverse(order.begin(), part);
  std::rotate(order.begin(), part, order.begin() + static_cast<std::ptrdiff_t>(place + 1));
  return true;
}

bool move_parts(const TourGraph& graph, Order& order) {
  bool gained = false;
  for (std::size_t turn = 0; turn < order.size(); ++turn) {
    for (std::size_t count = 1; count <= longest_part && count + 2 <= order.size(); ++count) {
      gained |= move_front(graph, order, count);
    }
    std::rotate(order.begin(), order.begin() + 1, order.end());
  }
  return gained;
}

/// Ends, because every move makes the tour strictly shorter.
Tour improved(const TourGraph& graph, Order order) {
  while (reverse_parts(graph, order) || move_parts(graph, order)) {
  }
  const std::uint64_t length = length_of(graph, order);
  return {std::move(order), length};
}

/// Exchanges two neighbouring parts: a change that no single reversal undoes ("double bridge").
Order disturbed(const Order& order, Random& random) {
  const auto size = static_cast<std::uint32_t>(order.size());
  std::ptrdiff_t cuts[3] = {1 + static_cast<std::ptrdiff_t>(random.below(size - 1)),
                            1 + static_cast<std::ptrdiff_t>(random.below(size - 1)),
                            1 + static_cast<std::ptrdiff_t>(random.below(size - 1))};
  std::sort(std::begin(cuts), std::end(cuts));
  Order other = order;
  std::rotate(other.begin() + cuts[0], other.begin() + cuts[1], other.begin() + cuts[2]);
  return other;
}

}  // namespace

Tour local_search_tour(const TourGraph& graph, const Tour& start, std::uint64_t seed) {
  if (graph.size() < 4) return start;  // all tours are equally long
  Tour best = improved(graph, start.order);
  Random random(seed);
  const std::size_t rounds =
      std::min(most_restarts, search_work / (graph.size() * graph.size() * 10));
  for (std::size_t round = 0; round < rounds; ++round) {
    Tour other = improved(graph, disturbed(best.order, random));
    if (other.length < best.length) best = std::move(other);
  }
  return best;
}

}  // namespace lares::machine
