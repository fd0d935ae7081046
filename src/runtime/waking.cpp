#include "runtime/waking.hpp"

#include <algorithm>

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

// A sleeper of the domain that may run the task: rather one that is free to run any.
bool wake_one_of(Team& team, DomainId domain, const Task* task) noexcept {
  return wake_free(team, domain) || wake_bound(team, domain, task);
}

// True if as many workers of the domain as it has tasks are looking for one. They look once more
// after they have stopped to count as such, so none of the tasks is missed.
bool is_being_looked_for(const Team& team, const Offer& offer) noexcept {
  return team.looking[offer.domain.index()].count.load(std::memory_order_relaxed) >= offer.queued;
}

// True if the domain's busy workers have no more there than they can take next.
bool stays_at_home(const Team& team, const Offer& offer) noexcept {
  return offer.at_home && offer.queued <= team.places->workers_in(offer.domain).size();
}

}  // namespace

bool wake_for(Team& team, const Offer& offer) noexcept {
  if (disorder::omits(disorder::Fault::all_woken_for_one)) wake_team(team);
  const std::uint32_t sleepers = team.sleepers->total();
  // Below zero for a moment if a sleeper is up before it was counted.
  const std::int32_t on_their_way = team.waking.load(std::memory_order_relaxed);
  if (on_their_way >= static_cast<std::int32_t>(std::max(offer.queued, 1U))) return false;
  // Awake workers already fill the cores: one more would only take turns with them.
  if (team.size() - std::min<std::size_t>(sleepers, team.size()) >= team.cores) return false;
  if (is_being_looked_for(team, offer)) return false;
  if (wake_one_of(team, offer.domain, offer.task)) return true;
  if (stays_at_home(team, offer)) return false;
  for (const DomainId other : team.places->nearest_first(offer.domain)) {
    if (other != offer.domain && wake_one_of(team, other, offer.task)) return true;
  }
  return false;
}

namespace {

// True if somebody is woken for what lies in the place.
bool offer_place(Team& team, DomainId domain, PlaceId place) noexcept {
  const std::uint32_t queued = team.length(place);
  if (queued == 0) return false;
  const policy::Place& there = (*team.places)[place];
  const bool at_home = there.domain.valid() && !there.worker.valid();
  return wake_for(team, {.domain = domain, .task = nullptr, .queued = queued, .at_home = at_home});
}

bool offer_domain(Team& team, DomainId domain) noexcept {
  if (offer_place(team, domain, team.places->of(domain))) return true;
  for (const WorkerId worker : team.places->workers_in(domain)) {
    if (offer_place(team, domain, team.places->of(worker))) return true;
  }
  return false;
}

}  // namespace

void pass_on(Worker& worker) noexcept {
  if (disorder::omits(disorder::Fault::no_word_passed_on)) return;
  Team& team = *worker.team;
  light_fence();  // pairs with heavy_fence in Sleeper
  if (team.sleepers->total() == 0) return;
  const DomainId own = worker.domain;
  const std::uint32_t urgent = team.prioritised.length();
  if (urgent != 0 && wake_for(team, {.domain = own, .task = nullptr, .queued = urgent})) return;
  if (offer_domain(team, own)) return;
  for (std::size_t i = 0; i < team.queues.size(); ++i) {
    const bool wider = team.queues[i] != nullptr && !(*team.places)[PlaceId{i}].domain.valid();
    if (wider && offer_place(team, own, PlaceId{i})) return;
  }
  for (const DomainId domain : team.places->nearest_first(own)) {
    if (domain != own && offer_domain(team, domain)) return;
  }
}

void wake_waiter(Team& team, Worker* worker) noexcept {
  if (worker == nullptr) {
    wake_team(team);
  } else {
    unpark(*worker);
  }
}

void wake_somebody(Team& team, const Task* task) noexcept {
  disorder::late(disorder::Point::notifying);
  if (disorder::omits(disorder::Fault::no_foreign_wake)) return;
  full_fence();  // pairs with the one in Sleeper
  if (team.sleepers == nullptr || team.sleepers->total() == 0) return;
  for (std::size_t i = 0; i < team.looking.size(); ++i) {
    if (wake_free(team, DomainId{i})) return;
  }
  for (std::size_t i = 0; i < team.looking.size(); ++i) {
    if (wake_bound(team, DomainId{i}, task)) return;
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
