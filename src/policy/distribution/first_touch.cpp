// Leaves the home of data to the operating system: the domain of the thread that touches it first.
#include "policy/catalogue.hpp"

namespace lares::policy::distribution {
namespace {

class FirstTouch final : public Distribution {
 public:
  DomainId on_place(const View&, const Block&) noexcept override { return DomainId{}; }
  [[nodiscard]] bool decides() const noexcept override { return false; }
};

}  // namespace

Entry<Distribution> first_touch() noexcept {
  return {.name = "first-touch",
          .paper = "",
          .source = "Virouleau 2016, 2.3",
          .summary = "data lives where it is first touched, as without Lares",
          .make = &make<Distribution, FirstTouch>};
}

}  // namespace lares::policy::distribution
