// Strictly by distance, equals by their numbers: what the paper did, with its hot spots. A round
// visits the whole team, so it is for comparisons and not for thousands of cores.
#include "policy/catalogue.hpp"
#include "policy/steal/visit.hpp"

namespace lares::policy::steal {
namespace {

class Near final : public Steal {
 public:
  void on_idle(const View& view, Victims& victims) noexcept override {
    victims.clear();
    for (const DomainId domain : view.places.nearest_first(view.places.domain_of(view.self))) {
      if (view.places.workers_in(domain).empty()) continue;
      visit_domain(view, domain, victims);
      for (const WorkerId worker : view.places.workers_in(domain)) {
        if (worker != view.self) victims.add(view.places.of(worker));
      }
    }
  }
};

}  // namespace

Entry<Steal> near() noexcept {
  return {.name = "near",
          .paper = "",
          .source = "Schmidl 2016, 4.2.2 (b)",
          .summary = "as nearest, but equals always in the same order, so that thieves meet",
          .places = {.workers = Reach::all, .domains = Reach::all},
          .make = &make<Steal, Near>};
}

}  // namespace lares::policy::steal
