// Goes to another domain only if its tasks would wait there for longer than the way makes them
// slower: the break-even of migration (Schmidl 2016, 3.3.3), asked of tasks instead of pages.
#include "policy/catalogue.hpp"
#include "policy/steal/ranking.hpp"
#include "policy/steal/visit.hpp"

namespace lares::policy::steal {
namespace {

// One task's time beside its data is worth this much, as distances are scaled.
constexpr std::int32_t local_distance = 10;

/// What a thief gains from a queue of so many tasks for so many workers, in tenths of a task's
/// time. Assumes tasks of about the same length, bound by memory: elsewhere they take distance / 10
/// as long.
std::int32_t gain(std::uint32_t queued, std::size_t workers, std::uint32_t distance) noexcept {
  constexpr std::uint32_t plenty = 1U << 20U;
  const auto tasks = static_cast<std::int32_t>(queued < plenty ? queued : plenty);
  const std::int32_t waiting = local_distance * tasks / static_cast<std::int32_t>(workers);
  return waiting - (static_cast<std::int32_t>(distance) - local_distance);
}

class BreakEven final : public Steal {
 public:
  void on_idle(const View& view, Victims& victims) noexcept override {
    victims.clear();
    const Places& places = view.places;
    const DomainId own = places.domain_of(view.self);
    visit_domain(view, own, victims);
    visit_workers(view, own, victims);
    Ranking ranking;
    const auto consider = [&](PlaceId place, DomainId domain, std::size_t workers) {
      const std::int32_t worth =
          gain(view.lengths.length(place), workers, places.distance(own, domain));
      if (worth > 0) ranking.add(place, worth);
    };
    sample_other_domains(view, own, [&](DomainId domain) {
      consider(places.of(domain), domain, places.workers_in(domain).size());
    });
    sample_distant_workers(view, own, [&](WorkerId worker) {
      consider(places.of(worker), places.domain_of(worker), 1);
    });
    ranking.list(victims);
  }
};

}  // namespace

Entry<Steal> break_even() noexcept {
  return {.name = "break-even",
          .paper = "",
          .source = "Lares, after Schmidl 2016, 3.3.3",
          .summary = "another domain only if its tasks would wait longer than the way costs",
          .places = {.workers = Reach::own, .domains = Reach::own},
          .make = &make<Steal, BreakEven>};
}

}  // namespace lares::policy::steal
