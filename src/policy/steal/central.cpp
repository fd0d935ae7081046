// The one queue of the whole team.
#include "policy/catalogue.hpp"
#include "policy/steal/visit.hpp"

namespace lares::policy::steal {
namespace {

class Central final : public Steal {
 public:
  void on_idle(const View& view, Victims& victims) noexcept override {
    victims.clear();
    victims.add(view.places.root());
  }
};

}  // namespace

Entry<Steal> central() noexcept {
  return {.name = "central",
          .paper = "",
          .source = "Schmidl 2016, 4.3.1",
          .summary = "the one queue that all workers share",
          .places = {.root = Reach::all},
          .make = &make<Steal, Central>};
}

}  // namespace lares::policy::steal
