// The own domain's place, then those of the following domains in turn: the scan of locality queues.
#include "policy/catalogue.hpp"
#include "policy/steal/visit.hpp"

namespace lares::policy::steal {
namespace {

class CyclicDomains final : public Steal {
 public:
  void on_idle(const View& view, Victims& victims) noexcept override {
    victims.clear();
    const std::size_t count = view.places.domain_count();
    std::size_t at = view.places.domain_of(view.self).index();
    for (std::size_t i = 0; i < count; ++i) {
      const DomainId domain{at};
      if (!view.places.workers_in(domain).empty()) visit_domain(view, domain, victims);
      at = at + 1 == count ? 0 : at + 1;
    }
  }
};

}  // namespace

Entry<Steal> cyclic() noexcept {
  return {.name = "cyclic",
          .paper = "",
          .source = "Wittmann & Hager 2010, 2.2",
          .summary = "own domain's place, then those of the following domains in turn",
          .places = {.domains = Reach::all},
          .make = &make<Steal, CyclicDomains>};
}

}  // namespace lares::policy::steal
