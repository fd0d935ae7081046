// The neighbours' places, then the own domain's; then the same in another domain, drawn at random.
#include "policy/catalogue.hpp"
#include "policy/steal/visit.hpp"

namespace lares::policy::steal {
namespace {

class CoreFirst final : public Steal {
 public:
  void on_idle(const View& view, Victims& victims) noexcept override {
    victims.clear();
    // The steps of the paper's Figure 1; step 1 is the own place, which the executor found empty.
    const DomainId own = view.places.domain_of(view.self);
    visit_workers(view, own, victims);  // 2a
    visit_domain(view, own, victims);   // 2b
    const DomainId other = random_other_domain(view);
    if (!other.valid()) return;
    visit_workers(view, other, victims);  // 3a
    visit_domain(view, other, victims);   // 3b
  }
};

}  // namespace

Entry<Steal> core_first() noexcept {
  return {.name = "core-first",
          .paper = "sProcNuma",
          .source = "Virouleau 2016, 3.4, Figure 1",
          .summary = "neighbours, own domain; then a random other domain: workers, place",
          .places = {.workers = Reach::all, .domains = Reach::all},
          .make = &make<Steal, CoreFirst>};
}

}  // namespace lares::policy::steal
