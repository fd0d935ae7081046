// Keeps every task with the worker that made it ready.
#include "policy/catalogue.hpp"

namespace lares::policy::push {
namespace {

class Local final : public Push {
 public:
  PlaceId on_ready(const View& view, const ReadyTask&) noexcept override {
    return view.places.of(view.self);
  }
  [[nodiscard]] bool uses_data() const noexcept override { return false; }
  [[nodiscard]] bool keeps_dataless_tasks() const noexcept override { return true; }
};

}  // namespace

Entry<Push> local() noexcept {
  return {.name = "local",
          .paper = "pLoc",
          .source = "Virouleau 2016, 3.3",
          .summary = "to the place of the worker that made the task ready",
          .places = {.workers = true},
          .make = &make<Push, Local>};
}

}  // namespace lares::policy::push
