// As core-first without the last step: no domain's place but the own one.
#include "policy/catalogue.hpp"
#include "policy/steal/visit.hpp"

namespace lares::policy::steal {
namespace {

class CoresOnly final : public Steal {
 public:
  void on_idle(const View& view, Victims& victims) noexcept override {
    victims.clear();
    const DomainId own = view.places.domain_of(view.self);
    visit_workers(view, own, victims);
    visit_domain(view, own, victims);
    const DomainId other = random_other_domain(view);
    if (other.valid()) visit_workers(view, other, victims);
  }
};

}  // namespace

Entry<Steal> cores_only() noexcept {
  return {.name = "cores-only",
          .paper = "sProc",
          .source = "Virouleau 2016, 3.4",
          .summary = "neighbours, own domain; then a random other domain: workers",
          .places = {.workers = Reach::all, .domains = Reach::own},
          .make = &make<Steal, CoresOnly>};
}

}  // namespace lares::policy::steal
