// As core-first, but in each domain its own place comes before those of its workers.
#include "policy/catalogue.hpp"
#include "policy/steal/visit.hpp"

namespace lares::policy::steal {
namespace {

class DomainFirst final : public Steal {
 public:
  void on_idle(const View& view, Victims& victims) noexcept override {
    victims.clear();
    const DomainId own = view.places.domain_of(view.self);
    visit_domain(view, own, victims);
    visit_workers(view, own, victims);
    const DomainId other = random_other_domain(view);
    if (!other.valid()) return;
    visit_domain(view, other, victims);
    visit_workers(view, other, victims);
  }
};

}  // namespace

Entry<Steal> domain_first() noexcept {
  return {.name = "domain-first",
          .paper = "sNumaProc",
          .source = "Virouleau 2016, 3.4",
          .summary = "own domain, neighbours; then a random other domain: place, workers",
          .places = {.workers = Reach::all, .domains = Reach::all},
          .make = &make<Steal, DomainFirst>};
}

}  // namespace lares::policy::steal
