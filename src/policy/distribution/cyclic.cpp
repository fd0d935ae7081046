// Deals blocks of data to the domains in turn, by whole blocks of the `depend` clauses, not pages.
#include "policy/catalogue.hpp"

namespace lares::policy::distribution {
namespace {

class Cyclic final : public Distribution {
 public:
  DomainId on_place(const View& view, const Block&) noexcept override {
    const auto domains = view.places.domains_with_workers();
    // Every worker counts for itself; starting each at a domain of its own keeps several
    // producers from filling the first domain together.
    if (!started_) next_ = view.self.index();
    started_ = true;
    return domains[next_++ % domains.size()];
  }

 private:
  std::size_t next_ = 0;
  bool started_ = false;
};

}  // namespace

Entry<Distribution> cyclic() noexcept {
  return {.name = "cyclic",
          .paper = "cyclicnuma",
          .source = "Virouleau 2016, 3.2",
          .summary = "blocks of data go to the domains in turn",
          .make = &make<Distribution, Cyclic>};
}

}  // namespace lares::policy::distribution
