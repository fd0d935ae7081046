// Closed tours over the domains of a machine: the order that OMP_PLACES lists them in.
// After Schmidl 2016, sections 3.2.1 to 3.2.4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "machine/machine.hpp"

namespace lares::machine {

/// A complete graph whose vertices are 0 to size() - 1. A weight is the sum of the distances there
/// and back, which is twice their mean (Schmidl, 3.2.2): so halves stay whole numbers, and lengths
/// of tours can be compared exactly. A plain value.
class TourGraph {
 public:
  explicit TourGraph(std::size_t size) : weights_(size * size, 0), size_(size) {}
  /// The graph over `domains`, whose vertex i is domains[i].
  TourGraph(const Distances& distances, std::span<const DomainId> domains);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// 0 exactly for a == b.
  [[nodiscard]] std::uint32_t weight(std::size_t a, std::size_t b) const noexcept {
    return weights_[a * size_ + b];
  }
  /// Precondition: a != b, 0 < weight <= 2 * max_distance.
  void set_weight(std::size_t a, std::size_t b, std::uint32_t weight) noexcept {
    weights_[a * size_ + b] = weight;
    weights_[b * size_ + a] = weight;
  }

 private:
  std::vector<std::uint32_t> weights_;
  std::size_t size_;
};

/// Each vertex once, and back to the first.
struct Tour {
  std::vector<std::size_t> order;
  std::uint64_t length = 0;  ///< in the unit of weights: twice the distance
};

/// The sum of the weights between neighbours, the last and the first among them; 0 for one vertex.
std::uint64_t length_of(const TourGraph& graph, std::span<const std::size_t> order) noexcept;

/// The largest graph that exact_tour takes.
inline constexpr std::size_t max_exact_size = 20;

/// A shortest tour, by dynamic programming over subsets (Bellman 1962; Held and Karp 1962).
/// O(2^n n^2) time, O(2^n n) memory: 40 MB for 20 vertices. Precondition: size() <= max_exact_size.
Tour exact_tour(const TourGraph& graph);

/// The best of the tours that go on to the nearest vertex not yet visited, one from each start
/// (evenly chosen ones if there are more than 256). O(n^3), from 256 vertices on O(256 n^2).
Tour greedy_tour(const TourGraph& graph);

/// Christofides 1976: a minimal tree, a matching of its odd vertices, a walk over both, short cuts.
/// Where `matching_is_minimal` and the triangle inequality holds, the tour is at most 1.5 times the
/// shortest.
struct ChristofidesTour {
  Tour tour;
  bool matching_is_minimal = true;  ///< false beyond max_minimal_matching odd vertices
};
ChristofidesTour christofides_tour(const TourGraph& graph);

/// The shorter of local optima under reversing a part and moving up to three neighbours elsewhere
/// (2-opt and Or-opt), from `start` and from `seed`ed disturbances of the best so far. Never longer
/// than `start`. The same arguments give the same tour.
Tour local_search_tour(const TourGraph& graph, const Tour& start, std::uint64_t seed);

/// No tour is shorter: the length of a minimal 1-tree with vertex penalties, which a subgradient
/// ascent improves (Held and Karp 1970, 1971). Penalties are whole numbers, so the bound is exact
/// arithmetic and valid wherever the ascent ends. `upper` is the length of a known tour: the ascent
/// ends there, and it is the answer for fewer than four vertices. O(rounds n^2).
std::uint64_t tour_lower_bound(const TourGraph& graph, std::uint64_t upper);

/// What `lares places` does: exact up to max_exact_size, else the best of the others.
struct BestTour {
  Tour tour;
  std::string_view method;        ///< "exact", "greedy", "christofides", "local-search"
  std::uint64_t lower_bound = 0;  ///< of every tour; the tour's length if `optimal`
  bool optimal = false;           ///< proved: by the exact method, or because the bound is met
};
BestTour best_tour(const TourGraph& graph);

/// The same closed tour, begun at `first` and run through in the direction whose second vertex is
/// the nearer one (of equals the one with the lower number): so equal tours look equal.
/// Precondition: `first` is in `order`.
std::vector<std::size_t> begun_at(const TourGraph& graph, std::span<const std::size_t> order,
                                  std::size_t first);

}  // namespace lares::machine
