// Random workers of the team, wherever they are.
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
    if (others <= draws_per_round) {
      Sweep sweep(view.random, others);
      for (std::uint32_t i = 0; i < others; ++i) visit(view, sweep.next(), victims);
    } else {
      // Independent draws, as in the paper: in a sweep, a victim behind a run of idle workers
      // would be found more often than the others.
      for (std::uint32_t i = 0; i < draws_per_round; ++i) {
        visit(view, view.random.below(others), victims);
      }
    }
  }

 private:
  /// `other` counts the workers without the asking one.
  static void visit(const View& view, std::uint32_t other, Victims& victims) noexcept {
    const std::size_t worker = other + (other < view.self.index() ? std::size_t{0} : 1);
    victims.add(view.places.of(WorkerId{worker}));
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
