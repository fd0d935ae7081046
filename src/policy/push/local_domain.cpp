// Shares every task with the domain of the worker that made it ready.
#include "policy/catalogue.hpp"

namespace lares::policy::push {
namespace {

class LocalDomain final : public Push {
 public:
  PlaceId on_ready(const View& view, const ReadyTask&) noexcept override {
    return view.places.of(view.places.domain_of(view.self));
  }
  [[nodiscard]] bool uses_data() const noexcept override { return false; }
  [[nodiscard]] bool keeps_dataless_tasks() const noexcept override { return false; }
};

}  // namespace

Entry<Push> local_domain() noexcept {
  return {.name = "local-domain",
          .paper = "pLocNuma",
          .source = "Virouleau 2016, 3.3",
          .summary = "to the place of that worker's domain",
          .places = {.domains = true},
          .make = &make<Push, LocalDomain>};
}

}  // namespace lares::policy::push
