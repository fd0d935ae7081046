#include "runtime/waking.hpp"

#include "base/disorder.hpp"
#include "runtime/ancestry.hpp"
#include "runtime/futex.hpp"

namespace lares::runtime {

namespace {

void unpark(Worker& worker) noexcept {
  // seq_cst with Sleeper: either it sees what was done before this, or it is seen to be parked.
  if (worker.parked.load(std::memory_order_seq_cst) == 0) return;
  disorder::late(disorder::Point::unparking);
  // release: the woken worker sees what it is woken for.
  if (worker.parked.exchange(0, std::memory_order_acq_rel) == 0) return;
  disorder::late(disorder::Point::unparking);
  futex_wake(worker.parked, 1);
}

void count_chosen(Team& team) noexcept {
  disorder::late(disorder::Point::claimed);
  team.sleepers->count_out();
  team.waking.fetch_add(1, std::memory_order_relaxed);
}

bool wake_free(Team& team, DomainId domain) noexcept {
  if (!team.sleepers->free(domain).choose()) return false;
  count_chosen(team);
  return true;
}

bool wake_bound(Team& team, DomainId domain, const Task* task) noexcept {
  const auto may_run = [&team, task](WorkerId worker) {
    // Racy, as the sleeper may have gone on: then it does not sleep, and choosing it fails.
    // acquire: the descriptor is found made.
    const Task* under = team.workers[worker.index()]->sleeps_under.load(std::memory_order_acquire);
    return under == nullptr || task == nullptr || descends_from(*task, *under);
  };
  const WorkerId chosen = team.sleepers->choose_bound(domain, may_run);
  if (!chosen.valid()) return false;
  count_chosen(team);
  unpark(*team.workers[chosen.index()]);
  return true;
}

// How decide/ sees a team with sleepers.
class Bedroom {
 public:
  explicit Bedroom(Team& team) noexcept : team_(&team) {}
  [[nodiscard]] const policy::Places& places() const noexcept { return *team_->places; }
  [[nodiscard]] std::size_t workers() const noexcept { return team_->size(); }
  [[nodiscard]] std::size_t cores() const noexcept { return team_->cores; }
  [[nodiscard]] std::uint32_t asleep() const noexcept { return team_->sleepers->total(); }
  [[nodiscard]] std::int32_t on_their_way() const noexcept {
    return team_->waking.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint32_t looking(DomainId domain) const noexcept {
    return team_->looking[domain.index()].count.load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool is_fed(DomainId domain) const noexcept { return team_->is_fed(domain); }
  [[nodiscard]] std::uint32_t length(PlaceId place) const noexcept { return team_->length(place); }
  [[nodiscard]] std::uint32_t prioritised() const noexcept { return team_->prioritised.length(); }
  [[nodiscard]] const Task* any_task() const noexcept { return nullptr; }
  [[nodiscard]] bool wake_one_of(DomainId domain, const Task* task) const noexcept {
    return wake_free(*team_, domain) || wake_bound(*team_, domain, task);
  }

 private:
  Team* team_;
};

}  // namespace

bool wake_for(Team& team, const Offer& offer) noexcept {
  if (disorder::omits(disorder::Fault::all_woken_for_one)) wake_team(team);
  return decide::wake_for(Bedroom(team), offer);
}

void pass_on(Worker& worker) noexcept {
  if (disorder::omits(disorder::Fault::no_word_passed_on)) return;
  Team& team = *worker.team;
  light_fence();  // pairs with heavy_fence in Sleeper
  if (team.sleepers->total() != 0) decide::pass_on(Bedroom(team), worker.domain);
}

void wake_waiter(Team& team, Worker* worker) noexcept {
  if (worker == nullptr) {
    wake_team(team);
  } else {
    unpark(*worker);
  }
}

void wake_somebody(Team& team, const Task* task, DomainId domain) noexcept {
  disorder::late(disorder::Point::notifying);
  if (disorder::omits(disorder::Fault::no_foreign_wake)) return;
  full_fence();  // pairs with the one in Sleeper
  if (team.sleepers == nullptr || team.sleepers->total() == 0) return;
  const std::size_t domains = team.looking.size();
  for (std::size_t i = 0; i < domains; ++i) {
    if (wake_free(team, DomainId{(domain.index() + i) % domains})) return;
  }
  for (std::size_t i = 0; i < domains; ++i) {
    if (wake_bound(team, DomainId{(domain.index() + i) % domains}, task)) return;
  }
}

void wake_team(Team& team) noexcept {
  fence_after_write();  // pairs with the one in Sleeper
  if (team.sleepers == nullptr || team.sleepers->total() == 0) return;
  for (std::size_t i = 0; i < team.looking.size(); ++i) {
    const DomainId domain{i};
    if (!team.sleepers->free(domain).is_empty()) team.sleepers->free(domain).ring();
    while (wake_bound(team, domain, nullptr)) {
    }
  }
}

}  // namespace lares::runtime
