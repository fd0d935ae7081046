// As writer-domain, but a task whose data is here already stays with the worker that made it ready.
#include "policy/catalogue.hpp"
#include "policy/push/home.hpp"

namespace lares::policy::push {
namespace {

class WriterDomainOrLocal final : public Push {
 public:
  PlaceId on_ready(const View& view, const ReadyTask& task) noexcept override {
    const DomainId home = writer_home(view, task);
    const bool here = !home.valid() || home == view.places.domain_of(view.self);
    return here ? view.places.of(view.self) : view.places.of(home);
  }
  [[nodiscard]] bool uses_data() const noexcept override { return true; }
  [[nodiscard]] bool keeps_dataless_tasks() const noexcept override { return true; }
};

}  // namespace

Entry<Push> writer_domain_or_local() noexcept {
  return {.name = "writer-domain-or-local",
          .paper = "pNumaWLoc",
          .source = "Virouleau 2016, 3.3",
          .summary = "as writer-domain, but to the own place if the data is near or unknown",
          .places = {.workers = true, .domains = true},
          .make = &make<Push, WriterDomainOrLocal>};
}

}  // namespace lares::policy::push
