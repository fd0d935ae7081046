// Random workers of the team, wherever they are.
#include <algorithm>

#include "policy/catalogue.hpp"
#include "policy/steal/visit.hpp"

namespace lares::policy::steal {
namespace {

class RandomWorker final : public Steal {
 public:
  void on_idle(const View& view, Victims& victims) noexcept override {
    victims.clear();
    const auto others = static_cast<std::uint32_t>(view.places.worker_count() - 1);
    if (others == 0) return;
    const auto self = static_cast<std::uint32_t>(view.self.index());
    RandomOrder order(view.random, others);
    for (std::uint32_t i = 0; i < std::min(others, draws_per_round); ++i) {
      const std::uint32_t drawn = order.next();
      const std::size_t worker = drawn < self ? drawn : drawn + std::size_t{1};
      victims.add(view.places.of(WorkerId{worker}));
    }
  }
};

}  // namespace

Entry<Steal> random() noexcept {
  return {.name = "random",
          .paper = "sRand",
          .source = "Virouleau 2016, 3.4",
          .summary = "random workers' places",
          .places = {.workers = Reach::all},
          .make = &make<Steal, RandomWorker>};
}

}  // namespace lares::policy::steal
