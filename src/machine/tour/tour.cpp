#include "machine/tour/tour.hpp"

#include <algorithm>
#include <utility>

namespace lares::machine {
namespace {

constexpr std::uint64_t seed = 1;

/// Takes `candidate` where it is strictly shorter: of equals the simpler method is named.
void keep_shorter(BestTour& best, Tour candidate, std::string_view method) {
  if (!best.method.empty() && candidate.length >= best.tour.length) return;
  best.tour = std::move(candidate);
  best.method = method;
}

}  // namespace

TourGraph::TourGraph(const Distances& distances, std::span<const DomainId> domains)
    : TourGraph(domains.size()) {
  for (std::size_t a = 0; a < size_; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      set_weight(a, b, distances.at(domains[a], domains[b]) + distances.at(domains[b], domains[a]));
    }
  }
}

std::uint64_t length_of(const TourGraph& graph, std::span<const std::size_t> order) noexcept {
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    length += graph.weight(order[i], order[(i + 1) % order.size()]);
  }
  return length;
}

BestTour best_tour(const TourGraph& graph) {
  BestTour best;
  if (graph.size() <= max_exact_size) {
    keep_shorter(best, exact_tour(graph), "exact");
    best.lower_bound = best.tour.length;
    best.optimal = true;
    return best;
  }
  keep_shorter(best, greedy_tour(graph), "greedy");
  keep_shorter(best, christofides_tour(graph).tour, "christofides");
  keep_shorter(best, local_search_tour(graph, best.tour, seed), "local-search");
  best.lower_bound = tour_lower_bound(graph, best.tour.length);
  best.optimal = best.lower_bound == best.tour.length;
  return best;
}

std::vector<std::size_t> begun_at(const TourGraph& graph, std::span<const std::size_t> order,
                                  std::size_t first) {
  std::vector<std::size_t> tour(order.begin(), order.end());
  std::rotate(tour.begin(), std::find(tour.begin(), tour.end(), first), tour.end());
  if (tour.size() < 3) return tour;
  const auto rank = [&](std::size_t second) {
    return std::pair(graph.weight(first, second), second);
  };
  if (rank(tour.back()) < rank(tour[1])) std::reverse(tour.begin() + 1, tour.end());
  return tour;
}

}  // namespace lares::machine
