// Random domains' places; no worker's place.
#include "policy/catalogue.hpp"
#include "policy/steal/visit.hpp"

namespace lares::policy::steal {
namespace {

class RandomDomain final : public Steal {
 public:
  void on_idle(const View& view, Victims& victims) noexcept override {
    victims.clear();
    const auto domains = view.places.domains_with_workers();
    Sweep sweep(view.random, static_cast<std::uint32_t>(domains.size()), draws_per_round);
    for (std::uint32_t i = 0; i < sweep.size(); ++i) {
      visit_domain(view, domains[sweep.next()], victims);
    }
  }
};

}  // namespace

Entry<Steal> random_domain() noexcept {
  return {.name = "random-domain",
          .paper = "sRandNuma",
          .source = "Virouleau 2016, 3.4",
          .summary = "random domains' places",
          .places = {.domains = Reach::all},
          .make = &make<Steal, RandomDomain>};
}

}  // namespace lares::policy::steal
