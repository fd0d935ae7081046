// What lies in a domain's place was sent to its data, so the way matters: nearest first. What lies
// with a worker is there because that worker made it, so how much it has matters: longest first. A
// thief that takes from a short queue makes its owner a thief, and moves two tasks in place of one.
#include "policy/catalogue.hpp"
#include "policy/steal/by_distance.hpp"
#include "policy/steal/ranking.hpp"
#include "policy/steal/visit.hpp"

namespace lares::policy::steal {
namespace {

class NearestThenLongest final : public Steal {
 public:
  void on_idle(const View& view, Victims& victims) noexcept override {
    victims.clear();
    const DomainId own = view.places.domain_of(view.self);
    visit_domain(view, own, victims);
    visit_neighbours(view, victims);
    visit_other_domains(view, own, victims, [&](DomainId domain) {
      if (!view.places.workers_in(domain).empty()) visit_domain(view, domain, victims);
    });
    Ranking ranking;
    sample_distant_workers(view, own, [&](WorkerId worker) {
      const PlaceId place = view.places.of(worker);
      // Empty ones stay, at the end: a length may be too old to trust.
      ranking.add(place, static_cast<std::int32_t>(view.lengths.length(place)));
    });
    ranking.list(victims);
  }
  [[nodiscard]] std::uint32_t patience() const noexcept override { return usual_patience; }
  [[nodiscard]] std::uint32_t away_at_once() const noexcept override { return scouts; }

 private:
  static constexpr std::uint32_t scouts = 2;
};

}  // namespace

Entry<Steal> nearest_then_longest() noexcept {
  return {.name = "nearest-then-longest",
          .paper = "",
          .source = "Lares, after Schmidl 2016, 4.2.2 (b) and (c)",
          .summary = "as patient, but of the other domains' workers the longest first",
          .places = {.workers = Reach::all, .domains = Reach::all},
          .make = &make<Steal, NearestThenLongest>};
}

}  // namespace lares::policy::steal
