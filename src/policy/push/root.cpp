// One queue for the whole team, as in a runtime that knows nothing of locality.
#include "policy/catalogue.hpp"

namespace lares::policy::push {
namespace {

class Root final : public Push {
 public:
  PlaceId on_ready(const View& view, const ReadyTask&) noexcept override {
    return view.places.root();
  }
  [[nodiscard]] bool uses_data() const noexcept override { return false; }
  [[nodiscard]] bool keeps_dataless_tasks() const noexcept override { return false; }
};

}  // namespace

Entry<Push> root() noexcept {
  return {.name = "root",
          .paper = "",
          .source = "Schmidl 2016, 4.3.1",
          .summary = "to one queue that all workers share",
          .places = {.root = true},
          .make = &make<Push, Root>};
}

}  // namespace lares::policy::push
