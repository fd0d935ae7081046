// By distance: the own domain, those who share a cache first; then the other domains, nearest
// first. At once, or after a while.
#include "policy/catalogue.hpp"
#include "policy/steal/by_distance.hpp"
#include "policy/steal/visit.hpp"

namespace lares::policy::steal {
namespace {

class Nearest : public Steal {
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

class Patient final : public Nearest {
 public:
  [[nodiscard]] std::uint32_t patience() const noexcept override { return usual_patience; }
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
          .summary = "as nearest, but waits for two tasks' time before it takes from afar",
          .places = {.workers = Reach::all, .domains = Reach::all},
          .make = &make<Steal, Patient>};
}

}  // namespace lares::policy::steal
