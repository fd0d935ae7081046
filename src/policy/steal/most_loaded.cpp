// The longest queue first, by lengths that may be old when they are read.
#include "policy/catalogue.hpp"
#include "policy/steal/ranking.hpp"

namespace lares::policy::steal {
namespace {

class MostLoaded final : public Steal {
 public:
  void on_idle(const View& view, Victims& victims) noexcept override {
    victims.clear();
    const DomainId own = view.places.domain_of(view.self);
    Ranking ranking;
    const auto add = [&](PlaceId place) {
      ranking.add(place, static_cast<std::int32_t>(view.lengths.length(place)));
    };
    const auto add_one = [&](auto each) { add(view.places.of(each)); };
    // The nearest come first, because equals keep their order.
    add_one(own);
    sample_neighbours(view, own, add_one);
    sample_other_domains(view, own, add_one);
    sample_distant_workers(view, own, add_one);
    // Empty ones stay in the list, at its end: a length may be too old to trust.
    ranking.list(victims);
  }
};

}  // namespace

Entry<Steal> most_loaded() noexcept {
  return {.name = "most-loaded",
          .paper = "",
          .source = "Lares, after Schmidl 2016, 4.2.2 (c)",
          .summary = "the longest queue first, of the own domain and a sample of the others",
          .places = {.workers = Reach::all, .domains = Reach::all},
          .make = &make<Steal, MostLoaded>};
}

}  // namespace lares::policy::steal
