// As domain-first without the workers: the own domain's place, then that of a random other domain.
#include "policy/catalogue.hpp"
#include "policy/steal/visit.hpp"

namespace lares::policy::steal {
namespace {

class DomainsOnly final : public Steal {
 public:
  void on_idle(const View& view, Victims& victims) noexcept override {
    victims.clear();
    visit_domain(view, view.places.domain_of(view.self), victims);
    const DomainId other = random_other_domain(view);
    if (other.valid()) visit_domain(view, other, victims);
  }
};

}  // namespace

Entry<Steal> domains_only() noexcept {
  return {.name = "domains-only",
          .paper = "sNuma",
          .source = "Virouleau 2016, 3.4",
          .summary = "own domain; then a random other domain: place",
          .places = {.domains = Reach::all},
          .make = &make<Steal, DomainsOnly>};
}

}  // namespace lares::policy::steal
