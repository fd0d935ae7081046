// On to the nearest vertex that is left.
#include <algorithm>

#include "machine/tour/tour.hpp"

namespace lares::machine {
namespace {

constexpr std::size_t most_starts = 256;

std::vector<std::size_t> nearest_neighbours(const TourGraph& graph, std::size_t start) {
  std::vector<std::size_t> order{start};
  std::vector<std::size_t> left;
  for (std::size_t v = 0; v < graph.size(); ++v) {
    if (v != start) left.push_back(v);
  }
  while (!left.empty()) {
    const std::size_t here = order.back();
    const auto nearest = std::min_element(left.begin(), left.end(), [&](auto a, auto b) {
      return graph.weight(here, a) < graph.weight(here, b);
    });
    order.push_back(*nearest);
    left.erase(nearest);  // keeps the order: of equals the one with the lowest number is taken
  }
  return order;
}

}  // namespace

Tour greedy_tour(const TourGraph& graph) {
  Tour best;
  const std::size_t starts = std::min(graph.size(), most_starts);
  for (std::size_t i = 0; i < starts; ++i) {
    Tour tour{nearest_neighbours(graph, i * graph.size() / starts), 0};
    tour.length = length_of(graph, tour.order);
    if (i == 0 || tour.length < best.length) best = std::move(tour);
  }
  return best;
}

}  // namespace lares::machine
