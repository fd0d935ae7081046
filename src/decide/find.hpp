// In which order a worker looks for a task: what has a priority, its own queue, the places that the
// steal policy names, and the queues that it shares with all.
#pragma once

#include <concepts>
#include <cstdint>

#include "base/ids.hpp"
#include "policy/policy.hpp"

namespace lares::decide {

/// How a worker looks into a shared queue.
enum class Look : std::uint8_t {
  pass,     ///< goes on if somebody else is at it
  patient,  ///< waits its turn
  all,      ///< waits, and looks at all that is in it, however long it is
};

/// One worker that looks for tasks, as its executor shows it. Whatever is taken may be run at once:
/// the executor leaves alone what the task scheduling constraint forbids (see may_run).
template <class W>
concept Seeker = requires(W w, PlaceId place, WorkerId worker, DomainId domain, Look look) {
  typename W::Found;  // a task or none, as a condition tells
  { w.places() } -> std::convertible_to<const policy::Places&>;
  { w.view() } -> std::convertible_to<policy::View>;
  { w.self() } -> std::convertible_to<WorkerId>;
  { w.domain() } -> std::convertible_to<DomainId>;  // its own
  { w.steal() } -> std::convertible_to<policy::Steal&>;
  { w.victims() } -> std::convertible_to<policy::Victims>;
  { w.workers() } -> std::convertible_to<std::size_t>;  // of the team
  { w.prioritised() } -> std::convertible_to<std::uint32_t>;
  { w.take_prioritised(look) } -> std::same_as<typename W::Found>;
  { w.pop_own() } -> std::same_as<typename W::Found>;  // the newest of its own deque
  { w.take(place, look) } -> std::same_as<typename W::Found>;
  { w.steal_from(worker) } -> std::same_as<typename W::Found>;  // the oldest of that deque
  { w.stolen(domain) };                                         // for the statistics
  { w.length(place) } -> std::convertible_to<std::uint32_t>;    // of a shared queue
  { w.any_queued() } -> std::convertible_to<bool>;  // false: certainly nothing since the barrier
  { w.is_pausing() } -> std::convertible_to<bool>;  // Thrift::pauses
  { w.settles() } -> std::convertible_to<bool>;     // what is made now is new: see leaves_alone()
  { w.is_held(worker) } -> std::convertible_to<bool>;  // it is about to deal out what its deque has
  // Away: one more of its domain's workers may go for tasks that are at home in that one.
  { w.may_leave_for(domain) } -> std::convertible_to<bool>;
  w.leaves_for(domain);                                          // it has such a task
  { w.may_wait(std::uint64_t{}) } -> std::convertible_to<bool>;  // Restraint::may_wait
  // One thread makes tasks that wait for no others and sends them to their homes, and has not begun
  // to wait for them.
  { w.goes_on() } -> std::convertible_to<bool>;
  // Restraint::stays, for as long as what is new deserves it at least if it settles.
  { w.stays(bool{}) } -> std::convertible_to<bool>;
  { w.has_stayed() } -> std::convertible_to<bool>;   // Restraint::has_stayed
  { w.constrained() } -> std::convertible_to<bool>;  // it waits inside of a task
  w.offer_own();  // moves all of its deque to its domain's queue, and tells sleepers
};

/// One place that is not the worker's own.
template <Seeker W>
typename W::Found visit(W worker, PlaceId place, bool thorough) {
  const policy::Place& there = worker.places()[place];
  if (!there.worker.valid()) {
    const bool own = there.domain == worker.domain();
    auto task = worker.take(place, thorough ? Look::all : own ? Look::patient : Look::pass);
    if (task && !own && there.domain.valid()) {
      worker.stolen(there.domain);
      worker.leaves_for(there.domain);
    }
    return task;
  }
  if (there.worker == worker.self()) return {};
  auto task = worker.steal_from(there.worker);
  if (task) worker.stolen(there.domain);
  return task;
}

/// From the queues that are as near to this worker as to any other. The domain's also takes what
/// does not fit into a full deque, and, as the root's, what a thread outside of the team made
/// ready.
template <Seeker W>
typename W::Found take_shared(W worker) {
  const policy::Places& places = worker.places();
  if (auto task = worker.take(places.root(), Look::patient)) return task;
  return worker.take(places.of(worker.domain()), Look::patient);
}

/// From the worker's own deque or its domain's queue.
template <Seeker W>
typename W::Found take_own(W worker) {
  if (auto task = worker.pop_own()) return task;
  return worker.take(worker.places().of(worker.domain()), Look::pass);
}

/// True if those at home in `there` will soon have run what lies in their queue, and more comes for
/// the worker's own domain as well: one thread goes on making tasks, and is as fast as they are. To
/// take some would end nothing sooner before it is through. It costs what is left then, spread over
/// all: no more than `left_at_home` tasks' time, divided by the number of domains. Where tasks
/// there take longer than the worker's own, it comes once it has waited so long.
template <Seeker W>
bool is_left_at_home(W worker, PlaceId place, DomainId there) {
  if (!worker.goes_on() || worker.constrained()) return false;
  const std::size_t most = limits::left_at_home * worker.places().workers_in(there).size();
  return worker.length(place) <= most && worker.may_wait(limits::left_at_home);
}

/// True if the worker does not take what lies in that place yet. What lies in another domain's is
/// at home there, and so is most of what its workers keep to themselves; what a new taskloop or
/// series touches first stays where it runs. Those tasks lie in domains' queues; in workers' deques
/// lies what tasks make, which is worth a moment's patience and no more. What a creator holds
/// (series.hpp) is for anybody's domain, and it will know in a moment for whose. Where enough of
/// its domain are away for tasks that are at home elsewhere, it leaves these alone as well, and so
/// what is_left_at_home().
template <Seeker W>
bool leaves_alone(W worker, PlaceId place) {
  const policy::Place& there = worker.places()[place];
  if (there.worker.valid() && worker.is_held(there.worker)) return true;
  if (!there.domain.valid() || there.domain == worker.domain()) return false;
  const bool is_shared = !there.worker.valid();
  if (is_shared && worker.length(place) != 0 &&
      (!worker.may_leave_for(there.domain) || is_left_at_home(worker, place, there.domain))) {
    return true;
  }
  const bool settles = worker.settles();
  return worker.stays(settles) && !(settles && there.worker.valid() && worker.has_stayed());
}

/// From the places in the order of the steal policy.
template <Seeker W>
[[gnu::always_inline]] inline typename W::Found find_work(W worker) {
  if (worker.prioritised() != 0) {
    if (auto task = worker.take_prioritised(Look::patient)) return task;
  }
  if (auto task = worker.pop_own()) return task;
  if (!worker.any_queued()) return {};
  // Fetching was not worth it a moment ago.
  if (worker.is_pausing()) return take_shared(worker);
  const policy::Places& places = worker.places();
  if (worker.workers() == 1 && places.domain_count() == 1) {
    if (auto task = worker.take(places.of(worker.domain()), Look::patient)) return task;
    return worker.take(places.root(), Look::patient);
  }
  policy::Victims victims = worker.victims();
  worker.steal().on_idle(worker.view(), victims);
  for (const PlaceId place : victims.list()) {
    if (leaves_alone(worker, place)) continue;
    if (auto task = visit(worker, place, false)) return task;
  }
  return take_shared(worker);
}

/// From the places that `may_visit` names, in the order of their numbers. Deques too: an owner may
/// wait for us where it runs no tasks, in a lock or in the stock runtime.
template <Seeker W, class MayVisit>
typename W::Found find_in(W worker, MayVisit may_visit) {
  const std::size_t places = worker.places().size();
  for (std::size_t i = 0; i < places; ++i) {
    if (!may_visit(PlaceId{i})) continue;
    if (auto task = visit(worker, PlaceId{i}, true)) return task;
  }
  return {};
}

/// From any place, whatever the steal policy: for a worker that has found nothing for long. What it
/// waits for must not lie where its policy never looks. It also gives away what its own deque holds
/// if it may run nothing of that: thieves of a deque see the oldest task only, behind which the one
/// that another waits for may be hidden.
template <Seeker W>
typename W::Found find_anywhere(W worker) {
  if (worker.constrained()) worker.offer_own();
  if (auto task = worker.take_prioritised(Look::all)) return task;
  return find_in(worker, [](PlaceId) { return true; });
}

}  // namespace lares::decide
