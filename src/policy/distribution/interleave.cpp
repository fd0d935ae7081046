// The domain follows from the block's number alone, so neighbouring areas repeat the same pattern.
#include "policy/catalogue.hpp"

namespace lares::policy::distribution {
namespace {

class Interleave final : public Distribution {
 public:
  DomainId on_place(const View& view, const Block& block) noexcept override {
    const auto domains = view.places.domains_with_workers();
    return domains[block.index % domains.size()];
  }
};

}  // namespace

Entry<Distribution> interleave() noexcept {
  return {.name = "interleave",
          .paper = "",
          .source = "Virouleau 2016, 2.3",
          .summary = "block i of an area goes to domain i modulo their number",
          .make = &make<Distribution, Interleave>};
}

}  // namespace lares::policy::distribution
