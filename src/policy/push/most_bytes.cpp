// A vote by bytes: the domain from which moving all of a task's data costs least.
#include <algorithm>
#include <array>
#include <limits>

#include "policy/catalogue.hpp"

namespace lares::policy::push {
namespace {

// The compiler did not tell the length: at least one cache line will move.
constexpr std::uint64_t cache_line = 64;
// A write moves a line twice: to the core, and back to memory.
constexpr std::uint64_t write_weight = 2;
// Bounds that keep a cost (weight x distance, summed over all homes) below 2^63.
constexpr std::uint64_t max_weight = std::uint64_t{1} << 40U;
constexpr std::uint64_t max_distance = std::uint64_t{1} << 16U;
constexpr std::size_t max_homes = 64;

std::uint64_t bounded_distance(const Places& places, DomainId from, DomainId to) noexcept {
  return std::min<std::uint64_t>(places.distance(from, to), max_distance);
}

std::uint64_t weight_of(const DataHome& datum) noexcept {
  const std::uint64_t bytes = std::min(std::max(datum.bytes.count, cache_line), max_weight);
  return writes(datum.mode) ? bytes * write_weight : bytes;
}

/// Weights summed by home. Homes beyond the 64th are left out: data spread that widely has no
/// home worth going to.
class Ballot {
 public:
  void add(DomainId home, std::uint64_t weight) noexcept {
    std::size_t i = 0;
    while (i < size_ && homes_[i] != home.value()) ++i;
    if (i == max_homes) return;
    if (i == size_) {
      homes_[i] = home.value();
      weights_[i] = 0;
      ++size_;
    }
    weights_[i] = std::min(weights_[i] + weight, max_weight);
  }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] bool unanimous() const noexcept { return size_ == 1; }

  /// The home with the most weight, the first of several; the only one of a unanimous ballot.
  [[nodiscard]] DomainId heaviest() const noexcept { return DomainId{homes_[heaviest_index()]}; }
  [[nodiscard]] std::uint64_t heaviest_weight() const noexcept {
    return weights_[heaviest_index()];
  }
  [[nodiscard]] std::uint64_t total_weight() const noexcept {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < size_; ++i) sum += weights_[i];
    return sum;
  }

  /// What running in `domain` would cost.
  [[nodiscard]] std::uint64_t cost(const Places& places, DomainId domain) const noexcept {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      sum += weights_[i] * bounded_distance(places, domain, DomainId{homes_[i]});
    }
    return sum;
  }

 private:
  [[nodiscard]] std::size_t heaviest_index() const noexcept {
    std::size_t best = 0;
    for (std::size_t i = 1; i < size_; ++i) {
      if (weights_[i] > weights_[best]) best = i;
    }
    return best;
  }

  // Plain arrays of which only the first size_ are ever set: clearing them all would cost more
  // than a usual vote. That is why the homes are not kept as DomainIds, which clear themselves.
  std::array<DomainId::Rep, max_homes> homes_;
  std::array<std::uint64_t, max_homes> weights_;
  std::size_t size_ = 0;
};

/// The votes of the data with known homes; if `affinity` clauses are among them, only theirs,
/// because the user has then said what matters.
void collect(const ReadyTask& task, Ballot& ballot) noexcept {
  for (const DataHome& datum : task.data) {
    if (datum.home.valid() && datum.mode == AccessMode::affinity) {
      ballot.add(datum.home, weight_of(datum));
    }
  }
  if (!ballot.empty()) return;
  for (const DataHome& datum : task.data) {
    if (datum.home.valid()) ballot.add(datum.home, weight_of(datum));
  }
}

/// The cheapest domain with workers; among equals `own`, then the lowest.
DomainId elect(const Places& places, const Ballot& ballot, DomainId own) noexcept {
  DomainId best = own;
  std::uint64_t best_cost = ballot.cost(places, own);
  const auto consider = [&](DomainId domain) {
    const std::uint64_t cost = ballot.cost(places, domain);
    if (cost >= best_cost) return;
    best = domain;
    best_cost = cost;
  };
  const DomainId home = ballot.heaviest();
  if (ballot.unanimous()) {
    consider(places.with_workers(home));  // that memory's own workers, or the nearest
    return best;
  }
  const std::uint64_t weight = ballot.heaviest_weight();
  const std::uint64_t others = (ballot.total_weight() - weight) *
                               std::min<std::uint64_t>(places.least_distance(), max_distance);
  for (const DomainId domain : places.domains_with_workers()) {
    // Most domains are so far from the heaviest home that the other votes cannot save them.
    if (weight * bounded_distance(places, domain, home) + others < best_cost) consider(domain);
  }
  return best;
}

class MostBytes final : public Push {
 public:
  PlaceId on_ready(const View& view, const ReadyTask& task) noexcept override {
    Ballot ballot;
    collect(task, ballot);
    if (ballot.empty()) return view.places.of(view.self);
    const DomainId own = view.places.domain_of(view.self);
    const DomainId best = elect(view.places, ballot, own);
    return best == own ? view.places.of(view.self) : view.places.of(best);
  }
  [[nodiscard]] bool uses_data() const noexcept override { return true; }
  [[nodiscard]] bool keeps_dataless_tasks() const noexcept override { return true; }
};

}  // namespace

Entry<Push> most_bytes() noexcept {
  return {.name = "most-bytes",
          .paper = "",
          .source = "Lares",
          .summary = "to the domain nearest to most of its bytes; writes count twice",
          .places = {.workers = true, .domains = true},
          .make = &make<Push, MostBytes>};
}

}  // namespace lares::policy::push
