// By distance: the own domain, those who share a cache first; then the other domains, nearest
// first.
#include "policy/catalogue.hpp"
#include "policy/steal/by_distance.hpp"
#include "policy/steal/visit.hpp"

namespace lares::policy::steal {
namespace {

class Nearest final : public Steal {
 public:
  void on_idle(const View& view, Victims& victims) noexcept override {
    victims.clear();
    const DomainId own = view.places.domain_of(view.self);
    visit_domain(view, own, victims);
    visit_neighbours(view, victims);
    visit_other_domains(view, own, victims, [&](DomainId domain) {
      if (view.places.workers_in(domain).empty()) return;
      visit_domain(view, domain, victims);
      visit_workers(view, domain, victims);
    });
  }
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

}  // namespace lares::policy::steal
