// Deals blocks of data to domains drawn at random.
#include "policy/catalogue.hpp"

namespace lares::policy::distribution {
namespace {

class RandomDomain final : public Distribution {
 public:
  DomainId on_place(const View& view, const Block&) noexcept override {
    const auto domains = view.places.domains_with_workers();
    return domains[view.random.below(static_cast<std::uint32_t>(domains.size()))];
  }
};

}  // namespace

Entry<Distribution> random() noexcept {
  return {.name = "random",
          .paper = "randnuma",
          .source = "Virouleau 2016, 3.2",
          .summary = "each block of data goes to a random domain",
          .make = &make<Distribution, RandomDomain>};
}

}  // namespace lares::policy::distribution
