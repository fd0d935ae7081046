// Who is woken for a task that has been queued.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "base/ids.hpp"
#include "policy/places.hpp"

namespace lares::decide {

/// A task that has just been queued, as a reason to wake somebody.
template <class Task>
struct Offer {
  DomainId domain;           ///< where it was queued
  Task task;                 ///< compared only: it may run and be freed meanwhile
  std::uint32_t queued = 1;  ///< how many tasks lie there, about
  bool at_home = false;      ///< its data is there: maybe not worth another domain's while at once
};

/// A team and who of it is asleep, as its executor shows it. All numbers are racy.
template <class T, class Task>
concept Bedroom = requires(T t, DomainId domain, PlaceId place, Task task) {
  { t.places() } -> std::convertible_to<const policy::Places&>;
  { t.workers() } -> std::convertible_to<std::size_t>;
  { t.cores() } -> std::convertible_to<std::size_t>;  // how many of them can run at the same time
  { t.asleep() } -> std::convertible_to<std::uint32_t>;
  { t.on_their_way() } -> std::convertible_to<std::int32_t>;    // woken, and have not looked yet
  { t.looking(domain) } -> std::convertible_to<std::uint32_t>;  // awake there, and free to run any
  { t.is_fed(domain) } -> std::convertible_to<bool>;  // has run a task that was at home there
  { t.length(place) } -> std::convertible_to<std::uint32_t>;
  { t.prioritised() } -> std::convertible_to<std::uint32_t>;
  { t.any_task() } -> std::convertible_to<Task>;  // one that all sleepers may run
  // A sleeper of the domain that may run the task: rather one that is free to run any.
  { t.wake_one_of(domain, task) } -> std::convertible_to<bool>;
};

/// Wakes at most one worker that may run what was offered: of its own domain, or, if all of that
/// domain's workers are busy and have more than they can take next, of the nearest one that has a
/// sleeper. Nobody if enough are on their way, or awake workers fill the cores.
///
/// Tasks that are at home are left to their domain's busy workers, as many as those can take next:
/// the others' own next tasks are about to become ready. But not to spare a domain that has none:
/// where one thread has initialised all, its domain's workers would be the only ones who run.
template <class T, class Task>
  requires Bedroom<T, Task>
bool wake_for(T team, const Offer<Task>& offer) {
  // Below zero for a moment if a sleeper is up before it was counted.
  if (team.on_their_way() >= static_cast<std::int32_t>(std::max(offer.queued, 1U))) return false;
  // Awake workers already fill the cores: one more would only take turns with them.
  const std::size_t workers = team.workers();
  if (workers - std::min<std::size_t>(team.asleep(), workers) >= team.cores()) return false;
  // As many workers of the domain as it has tasks are looking for one. They look once more after
  // they have stopped to count as such, so none of the tasks is missed.
  if (team.looking(offer.domain) >= offer.queued) return false;
  if (team.wake_one_of(offer.domain, offer.task)) return true;
  const policy::Places& places = team.places();
  // The domain's busy workers have no more there than they can take next.
  const bool enough = offer.at_home && offer.queued <= places.workers_in(offer.domain).size();
  for (const DomainId other : places.nearest_first(offer.domain)) {
    if (other == offer.domain || (enough && team.is_fed(other))) continue;
    if (team.wake_one_of(other, offer.task)) return true;
  }
  return false;
}

/// Offers what lies in one place. True if somebody is woken for it.
template <class T>
bool offer_place(T team, DomainId domain, PlaceId place) {
  const std::uint32_t queued = team.length(place);
  if (queued == 0) return false;
  const policy::Place& there = team.places()[place];
  const bool at_home = there.domain.valid() && !there.worker.valid();
  return wake_for(team, Offer{domain, team.any_task(), queued, at_home});
}

template <class T>
bool offer_domain(T team, DomainId domain) {
  const policy::Places& places = team.places();
  if (offer_place(team, domain, places.of(domain))) return true;
  for (const WorkerId worker : places.workers_in(domain)) {
    if (offer_place(team, domain, places.of(worker))) return true;
  }
  return false;
}

/// A worker of `own` was woken, or has found work after a while without: wakes at most one for what
/// is queued anywhere, nearest places first. For wake_for() counts on those who are on their way or
/// look already, wherever what they will find lies.
template <class T>
void pass_on(T team, DomainId own) {
  const std::uint32_t urgent = team.prioritised();
  if (urgent != 0 && wake_for(team, Offer{own, team.any_task(), urgent, false})) return;
  if (offer_domain(team, own)) return;
  const policy::Places& places = team.places();
  for (std::size_t i = 0; i < places.size(); ++i) {
    const policy::Place& there = places[PlaceId{i}];
    const bool wider = !there.domain.valid() && !there.worker.valid();
    if (wider && offer_place(team, own, PlaceId{i})) return;
  }
  for (const DomainId domain : places.nearest_first(own)) {
    if (domain != own && offer_domain(team, domain)) return;
  }
}

}  // namespace lares::decide
