// By distance: the own domain, those who share a cache first; then the other domains, nearest
// first. At once, or after a while.
#include <span>

#include "policy/catalogue.hpp"
#include "policy/steal/visit.hpp"

namespace lares::policy::steal {
namespace {

// A round stops going from domain to domain once it has listed so many places; one more domain,
// drawn from the rest, keeps every place within reach.
constexpr std::size_t enough_places = 64;

bool lies_below(const Places& places, PlaceId place, PlaceId ancestor) noexcept {
  while (place.valid() && place != ancestor) place = places[place].parent;
  return place.valid();
}

void visit(const View& view, DomainId domain, Victims& victims) noexcept {
  if (view.places.workers_in(domain).empty()) return;
  visit_domain(view, domain, victims);
  visit_workers(view, domain, victims);
}

/// The workers of the own domain, level by level of the tree, from a random one on in each level.
void visit_neighbours(const View& view, Victims& victims) noexcept {
  const Places& places = view.places;
  const PlaceId own_domain = places.of(places.domain_of(view.self));
  PlaceId inner = places.of(view.self);
  while (inner != own_domain) {
    const PlaceId outer = places[inner].parent;
    const auto& workers = places[outer].workers;
    Sweep sweep(view.random, static_cast<std::uint32_t>(workers.size()));
    for (std::uint32_t i = 0; i < sweep.size(); ++i) {
      const PlaceId place = places.of(workers[sweep.next()]);
      if (!lies_below(places, place, inner)) victims.add(place);
    }
    inner = outer;
  }
}

/// A run of equally distant domains, walked from a random start: if all thieves of a domain
/// went to the same one, its memory would become the bottleneck (Schmidl 2016, 4.2.3).
class Ring {
 public:
  Ring(Random& random, std::span<const DomainId> domains) noexcept
      : domains_(domains), start_(random.below(static_cast<std::uint32_t>(domains.size()))) {}
  [[nodiscard]] DomainId operator[](std::size_t i) const noexcept {
    const std::size_t at = start_ + i;
    return domains_[at < domains_.size() ? at : at - domains_.size()];
  }

 private:
  std::span<const DomainId> domains_;
  std::size_t start_;
};

std::size_t end_of_ring(const Places& places, DomainId own, std::span<const DomainId> row,
                        std::size_t begin) noexcept {
  std::size_t end = begin + 1;
  while (end < row.size() && places.distance(own, row[end]) == places.distance(own, row[begin])) {
    ++end;
  }
  return end;
}

class Nearest : public Steal {
 public:
  void on_idle(const View& view, Victims& victims) noexcept override {
    victims.clear();
    const DomainId own = view.places.domain_of(view.self);
    visit_domain(view, own, victims);
    visit_neighbours(view, victims);
    const auto row = view.places.nearest_first(own);
    for (std::size_t begin = 1; begin < row.size();) {
      const std::size_t end = end_of_ring(view.places, own, row, begin);
      const Ring ring(view.random, row.subspan(begin, end - begin));
      for (std::size_t i = 0; i < end - begin; ++i) {
        if (victims.list().size() < enough_places) {
          visit(view, ring[i], victims);
          continue;
        }
        // Left are the rest of this ring and everything behind it.
        const std::size_t here = end - begin - i;
        const std::size_t left = row.size() - begin - i;
        const std::size_t drawn = view.random.below(static_cast<std::uint32_t>(left));
        visit(view, drawn < here ? ring[i + drawn] : row[end + drawn - here], victims);
        return;
      }
      begin = end;
    }
  }
};

class Patient final : public Nearest {
 public:
  [[nodiscard]] std::uint32_t patience() const noexcept override { return 2; }
};

}  // namespace

Entry<Steal> nearest() noexcept {
  return {.name = "nearest",
          .paper = "",
          .source = "Lares, after Schmidl 2016, 4.2.2 (b)",
          .summary = "own domain, then the other domains by distance: place, then workers",
          .places = {.workers = Reach::all, .domains = Reach::all},
          .make = &make<Steal, Nearest>};
}

Entry<Steal> patient() noexcept {
  return {.name = "patient",
          .paper = "",
          .source = "Lares",
          .summary =
              "as nearest, but waits for the time of two tasks before it takes what is at home in "
              "another domain",
          .places = {.workers = Reach::all, .domains = Reach::all},
          .make = &make<Steal, Patient>};
}

}  // namespace lares::policy::steal
