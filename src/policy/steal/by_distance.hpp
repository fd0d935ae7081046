// The team by distance from the asking worker: its neighbours level by level, the other domains
// ring by ring.
#pragma once

#include <cstdint>
#include <span>

#include "policy/order.hpp"
#include "policy/policy.hpp"

namespace lares::policy::steal {

/// A round stops going from domain to domain once it has passed so many places, listed or not; one
/// more domain, drawn from the rest, keeps every place within reach. Where the thieves of a large
/// machine look everywhere in each round, a few tasks bring all of them to one memory.
inline constexpr std::size_t enough_places = 64;

inline bool lies_below(const Places& places, PlaceId place, PlaceId ancestor) noexcept {
  while (place.valid() && place != ancestor) place = places[place].parent;
  return place.valid();
}

/// The workers of the own domain, level by level of the tree, from a random one on in each level.
inline void visit_neighbours(const View& view, Victims& victims) noexcept {
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

inline std::size_t end_of_ring(const Places& places, DomainId own, std::span<const DomainId> row,
                               std::size_t begin) noexcept {
  std::size_t end = begin + 1;
  while (end < row.size() && places.distance(own, row[end]) == places.distance(own, row[begin])) {
    ++end;
  }
  return end;
}

/// Calls `visit(domain)` for the other domains, nearest first, as far as a round goes. It goes as
/// far for those who list few places of a domain in `victims` as for those who list all.
template <class Visit>
void visit_other_domains(const View& view, DomainId own, const Victims& victims,
                         Visit&& visit) noexcept {
  const auto row = view.places.nearest_first(own);
  std::size_t passed = victims.list().size();
  for (std::size_t begin = 1; begin < row.size();) {
    const std::size_t end = end_of_ring(view.places, own, row, begin);
    const Ring ring(view.random, row.subspan(begin, end - begin));
    for (std::size_t i = 0; i < end - begin; ++i) {
      if (passed < enough_places) {
        const std::size_t workers = view.places.workers_in(ring[i]).size();
        passed += workers == 0 ? 0 : 1 + workers;
        visit(ring[i]);
        continue;
      }
      // Left are the rest of this ring and everything behind it.
      const std::size_t here = end - begin - i;
      const std::size_t left = row.size() - begin - i;
      const std::size_t drawn = view.random.below(static_cast<std::uint32_t>(left));
      visit(drawn < here ? ring[i + drawn] : row[end + drawn - here]);
      return;
    }
    begin = end;
  }
}

}  // namespace lares::policy::steal
