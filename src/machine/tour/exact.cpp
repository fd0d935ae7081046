// The shortest tour by dynamic programming.
#include <algorithm>
#include <cassert>
#include <limits>

#include "machine/tour/tour.hpp"

namespace lares::machine {
namespace {

constexpr std::uint32_t unreached = std::numeric_limits<std::uint32_t>::max();

/// shortest(set, last): the shortest way from the highest vertex through all of `set` to `last`,
/// which is in `set`. The highest vertex begins and ends every tour and is in no set.
class Subsets {
 public:
  explicit Subsets(const TourGraph& graph)
      : graph_(graph),
        others_(graph.size() - 1),
        shortest_((std::size_t{1} << others_) * others_, unreached) {
    for (std::size_t v = 0; v < others_; ++v) {
      at(std::size_t{1} << v, v) = graph.weight(others_, v);
    }
    // A set without its last vertex is a smaller number, so it is complete when it is needed.
    for (std::size_t set = 1; set >> others_ == 0; ++set) extend(set);
  }

  /// Walks back from the end: each vertex has a predecessor that explains its length.
  [[nodiscard]] Tour shortest_tour() const {
    Tour tour;
    std::size_t set = (std::size_t{1} << others_) - 1;
    std::size_t last = nearest_end(set, others_);
    tour.length = std::uint64_t{at(set, last)} + graph_.weight(last, others_);
    tour.order.push_back(others_);
    while (true) {
      tour.order.push_back(last);
      set &= ~(std::size_t{1} << last);
      if (set == 0) return tour;
      last = nearest_end(set, last);
    }
  }

 private:
  std::uint32_t& at(std::size_t set, std::size_t last) { return shortest_[set * others_ + last]; }
  [[nodiscard]] std::uint32_t at(std::size_t set, std::size_t last) const {
    return shortest_[set * others_ + last];
  }

  void extend(std::size_t set) {
    for (std::size_t last = 0; last < others_; ++last) {
      const std::uint32_t length = at(set, last);
      if (length == unreached) continue;
      for (std::size_t next = 0; next < others_; ++next) {
        const std::size_t bit = std::size_t{1} << next;
        if ((set & bit) != 0) continue;
        std::uint32_t& longer = at(set | bit, next);
        longer = std::min(longer, length + graph_.weight(last, next));
      }
    }
  }

  /// The last vertex of the shortest way through `set` that then goes on to `next`.
  [[nodiscard]] std::size_t nearest_end(std::size_t set, std::size_t next) const {
    std::size_t best = others_;
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (std::size_t last = 0; last < others_; ++last) {
      if ((set >> last & 1U) == 0) continue;
      const std::uint64_t length = std::uint64_t{at(set, last)} + graph_.weight(last, next);
      if (length < least) {
        least = length;
        best = last;
      }
    }
    return best;
  }

  const TourGraph& graph_;
  std::size_t others_;
  std::vector<std::uint32_t> shortest_;
};

}  // namespace

Tour exact_tour(const TourGraph& graph) {
  assert(graph.size() <= max_exact_size);
  if (graph.size() == 0) return {};
  if (graph.size() == 1) return {{0}, 0};
  return Subsets(graph).shortest_tour();
}

}  // namespace lares::machine
