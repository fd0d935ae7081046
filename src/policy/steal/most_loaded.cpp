// The longest queue first, by lengths that may be old when they are read.
#include <array>

#include "policy/catalogue.hpp"
#include "policy/steal/visit.hpp"

namespace lares::policy::steal {
namespace {

// Reading a length costs about as much as visiting an empty queue, so large teams are sampled.
constexpr std::uint32_t sampled_per_kind = 16;
constexpr std::size_t max_candidates = 1 + 3 * sampled_per_kind;

/// Places sorted by length, longest first; equals keep the order in which they came.
class Ranking {
 public:
  explicit Ranking(const QueueLengths& lengths) noexcept : lengths_(lengths) {}

  void add(PlaceId place) noexcept {
    const std::uint32_t length = lengths_.length(place);
    std::size_t i = size_++;
    for (; i > 0 && length_[i - 1] < length; --i) {
      place_[i] = place_[i - 1];
      length_[i] = length_[i - 1];
    }
    place_[i] = place.value();
    length_[i] = length;
  }
  void list(Victims& victims) const noexcept {
    for (std::size_t i = 0; i < size_; ++i) victims.add(PlaceId{place_[i]});
  }

 private:
  const QueueLengths& lengths_;
  std::array<PlaceId::Rep, max_candidates> place_;  // the first size_ are set
  std::array<std::uint32_t, max_candidates> length_;
  std::size_t size_ = 0;
};

void add_neighbours(const View& view, DomainId own, Ranking& ranking) noexcept {
  const auto workers = view.places.workers_in(own);
  Sweep sweep(view.random, static_cast<std::uint32_t>(workers.size()), sampled_per_kind);
  for (std::uint32_t i = 0; i < sweep.size(); ++i) {
    const WorkerId worker = workers[sweep.next()];
    if (worker != view.self) ranking.add(view.places.of(worker));
  }
}

void add_other_domains(const View& view, DomainId own, Ranking& ranking) noexcept {
  const auto domains = view.places.domains_with_workers();
  Sweep sweep(view.random, static_cast<std::uint32_t>(domains.size()), sampled_per_kind);
  for (std::uint32_t i = 0; i < sweep.size(); ++i) {
    const DomainId domain = domains[sweep.next()];
    if (domain != own) ranking.add(view.places.of(domain));
  }
}

void add_distant_workers(const View& view, DomainId own, Ranking& ranking) noexcept {
  Sweep sweep(view.random, static_cast<std::uint32_t>(view.places.worker_count()),
              sampled_per_kind);
  for (std::uint32_t i = 0; i < sweep.size(); ++i) {
    const WorkerId worker{std::size_t{sweep.next()}};
    if (view.places.domain_of(worker) != own) ranking.add(view.places.of(worker));
  }
}

class MostLoaded final : public Steal {
 public:
  void on_idle(const View& view, Victims& victims) noexcept override {
    victims.clear();
    const DomainId own = view.places.domain_of(view.self);
    // The nearest come first, because equals keep their order.
    Ranking ranking(view.lengths);
    ranking.add(view.places.of(own));
    add_neighbours(view, own, ranking);
    add_other_domains(view, own, ranking);
    add_distant_workers(view, own, ranking);
    // Empty ones stay in the list, at its end: a length may be too old to trust.
    ranking.list(victims);
  }
};

}  // namespace

Entry<Steal> most_loaded() noexcept {
  return {.name = "most-loaded",
          .paper = "",
          .source = "Lares, after Schmidl 2016, 4.2.2 (c)",
          .summary = "the longest queue first, of the own domain and a sample of the others",
          .places = {.workers = Reach::all, .domains = Reach::all},
          .make = &make<Steal, MostLoaded>};
}

}  // namespace lares::policy::steal
