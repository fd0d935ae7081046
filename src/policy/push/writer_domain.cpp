// Sends every task to the domain where the first datum that it writes lives.
#include "policy/catalogue.hpp"
#include "policy/push/home.hpp"

namespace lares::policy::push {
namespace {

class WriterDomain final : public Push {
 public:
  PlaceId on_ready(const View& view, const ReadyTask& task) noexcept override {
    const DomainId home = writer_home(view, task);
    return view.places.of(home.valid() ? home : view.places.domain_of(view.self));
  }
  [[nodiscard]] bool uses_data() const noexcept override { return true; }
  [[nodiscard]] bool keeps_dataless_tasks() const noexcept override { return false; }
};

}  // namespace

Entry<Push> writer_domain() noexcept {
  return {.name = "writer-domain",
          .paper = "pNumaW",
          .source = "Virouleau 2016, 3.3",
          .summary = "to the domain that holds the first datum the task writes",
          .places = {.domains = true},
          .make = &make<Push, WriterDomain>};
}

}  // namespace lares::policy::push
