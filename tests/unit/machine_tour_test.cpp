// Tours over domains: what is proved must be true, on random graphs and on the papers' machines.
#include "machine/tour/tour.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "machine/tour/matching.hpp"
#include "machine_support.hpp"

namespace lares::machine {
namespace {

/// Weights up to 100; with `few` different ones ties are everywhere, as on real machines.
TourGraph random_graph(std::size_t size, Random& random, bool few) {
  TourGraph graph(size);
  for (std::size_t a = 0; a < size; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      graph.set_weight(a, b, few ? 20 + 3 * random.below(3) : 1 + random.below(100));
    }
  }
  return graph;
}

/// Points in the plane with rounded-up distances: the triangle inequality holds.
TourGraph metric_graph(std::size_t size, Random& random) {
  std::vector<std::pair<double, double>> points(size);
  for (auto& point : points) point = {random.below(1000), random.below(1000)};
  TourGraph graph(size);
  for (std::size_t a = 0; a < size; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const double x = points[a].first - points[b].first;
      const double y = points[a].second - points[b].second;
      graph.set_weight(a, b, 1 + static_cast<std::uint32_t>(std::ceil(std::sqrt(x * x + y * y))));
    }
  }
  return graph;
}

std::uint64_t brute_force(const TourGraph& graph) {
  std::vector<std::size_t> order(graph.size());
  std::iota(order.begin(), order.end(), 0);
  std::uint64_t least = length_of(graph, order);
  while (std::next_permutation(order.begin() + 1, order.end())) {
    least = std::min(least, length_of(graph, order));
  }
  return least;
}

void expect_tour(const TourGraph& graph, const Tour& tour) {
  std::vector<std::size_t> sorted = tour.order;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::size_t> all(graph.size());
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(sorted, all);
  EXPECT_EQ(tour.length, length_of(graph, tour.order));
}

TourGraph graph_of(const std::string& preset) {
  const Machine machine = test::load(std::string(LARES_SOURCE_DIR) + "/machines/" + preset);
  std::vector<DomainId> domains;
  for (std::size_t d = 0; d < machine.domains_with_cores(); ++d) domains.emplace_back(d);
  return {machine.distances, domains};
}

TEST(Tour, ExactIsWhatBruteForceFinds) {
  Random random(1);
  for (std::size_t size = 1; size <= 8; ++size) {
    for (int i = 0; i < 20; ++i) {
      const TourGraph graph = random_graph(size, random, i % 2 == 0);
      const Tour tour = exact_tour(graph);
      expect_tour(graph, tour);
      EXPECT_EQ(tour.length, brute_force(graph));
    }
  }
}

TEST(Tour, BoundIsBelowExactWhichIsBelowHeuristics) {
  Random random(2);
  for (int i = 0; i < 60; ++i) {
    const TourGraph graph = random_graph(4 + random.below(9), random, i % 3 == 0);
    const std::uint64_t exact = exact_tour(graph).length;
    const Tour greedy = greedy_tour(graph);
    const Tour christofides = christofides_tour(graph).tour;
    const Tour local = local_search_tour(graph, greedy, 7);
    for (const Tour& tour : {greedy, christofides, local}) {
      expect_tour(graph, tour);
      EXPECT_GE(tour.length, exact);
    }
    EXPECT_LE(local.length, greedy.length);
    EXPECT_LE(tour_lower_bound(graph, greedy.length), exact);
  }
}

TEST(Tour, BoundIsOftenMetAndSeldomFar) {
  Random random(3);
  std::size_t met = 0;
  for (int i = 0; i < 20; ++i) {
    const TourGraph graph = metric_graph(10, random);
    const std::uint64_t exact = exact_tour(graph).length;
    const std::uint64_t bound = tour_lower_bound(graph, exact);
    EXPECT_GE(static_cast<double>(bound), 0.9 * static_cast<double>(exact));
    met += bound == exact ? 1 : 0;
  }
  EXPECT_GE(met, 10U);
}

TEST(Tour, ChristofidesKeepsItsPromiseWhereTheTriangleInequalityHolds) {
  Random random(4);
  for (int i = 0; i < 40; ++i) {
    const TourGraph graph = metric_graph(3 + random.below(10), random);
    const ChristofidesTour found = christofides_tour(graph);
    EXPECT_TRUE(found.matching_is_minimal);
    EXPECT_LE(2 * found.tour.length, 3 * exact_tour(graph).length);
  }
}

TEST(Tour, LocalSearchFindsTheShortestOfTenMostly) {
  Random random(5);
  int found = 0;
  for (int i = 0; i < 20; ++i) {
    const TourGraph graph = random_graph(10, random, false);
    const Tour local = local_search_tour(graph, greedy_tour(graph), 1);
    found += local.length == exact_tour(graph).length ? 1 : 0;
  }
  EXPECT_GE(found, 18);
}

TEST(Tour, LargeGraphsGetATourABoundAndTheSameOneAgain) {
  Random random(6);
  const TourGraph graph = metric_graph(60, random);
  const BestTour best = best_tour(graph);
  expect_tour(graph, best.tour);
  EXPECT_LE(best.lower_bound, best.tour.length);
  EXPECT_GE(static_cast<double>(best.lower_bound), 0.9 * static_cast<double>(best.tour.length));
  EXPECT_EQ(best.optimal, best.lower_bound == best.tour.length);
  EXPECT_EQ(best_tour(graph).tour.order, best.tour.order);
}

TEST(Tour, OfOneTwoAndThree) {
  TourGraph graph(1);
  EXPECT_EQ(best_tour(graph).tour.length, 0U);
  graph = TourGraph(2);
  graph.set_weight(0, 1, 21);
  EXPECT_EQ(best_tour(graph).tour.length, 42U);
  EXPECT_EQ(greedy_tour(graph).length, 42U);
  EXPECT_EQ(christofides_tour(graph).tour.length, 42U);
  EXPECT_EQ(local_search_tour(graph, greedy_tour(graph), 1).length, 42U);
  EXPECT_EQ(tour_lower_bound(graph, 42), 42U);
}

/// Lengths are twice the distance. The thesis gives 106 and 376 for matrices before rounding.
TEST(Tour, OfThePapersMachines) {
  EXPECT_EQ(exact_tour(graph_of("hp-dl980-8s.json")).length, 217U);   // 108.5
  EXPECT_EQ(exact_tour(graph_of("bull-bcs-16s.json")).length, 755U);  // 377.5
  const BestTour altix = best_tour(graph_of("sgi-altix-uv-32s.json"));
  EXPECT_EQ(altix.tour.length, 2 * 848U);
  EXPECT_EQ(altix.lower_bound, 2 * 848U) << "the bound is met, so the tour is proved shortest";
  EXPECT_TRUE(altix.optimal);
}

TEST(Tour, BeginsWhereItShallInTheDirectionOfTheNearer) {
  TourGraph graph(4);
  const std::uint32_t weights[4][4] = {{}, {5}, {9, 4}, {3, 8, 7}};
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = 0; b < a; ++b) graph.set_weight(a, b, weights[a][b]);
  }
  const std::vector<std::size_t> around = {2, 1, 0, 3};
  EXPECT_EQ(begun_at(graph, around, 0), (std::vector<std::size_t>{0, 3, 2, 1}));
  EXPECT_EQ(begun_at(graph, around, 1), (std::vector<std::size_t>{1, 2, 3, 0}));
}

TEST(Matching, IsMinimalWhereItSaysSo) {
  Random random(8);
  const std::vector<std::size_t> vertices = {0, 1, 2, 3, 4, 5};
  for (int i = 0; i < 50; ++i) {
    const TourGraph graph = random_graph(6, random, false);
    std::vector<std::size_t> order = vertices;
    std::uint32_t least = 1'000'000;
    do {
      least = std::min(least, graph.weight(order[0], order[1]) + graph.weight(order[2], order[3]) +
                                  graph.weight(order[4], order[5]));
    } while (std::next_permutation(order.begin(), order.end()));
    std::uint32_t found = 0;
    for (const auto& [a, b] : match(graph, vertices)) found += graph.weight(a, b);
    EXPECT_EQ(found, least);
  }
}

TEST(Matching, OfManyPairsEveryVertexOnce) {
  Random random(9);
  const TourGraph graph = random_graph(40, random, true);
  std::vector<std::size_t> vertices(40);
  std::iota(vertices.begin(), vertices.end(), 0);
  std::vector<std::size_t> seen;
  for (const auto& [a, b] : match(graph, vertices)) {
    seen.push_back(a);
    seen.push_back(b);
  }
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, vertices);
}

}  // namespace
}  // namespace lares::machine
