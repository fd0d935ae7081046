// Where a ready task goes: where its data is believed to be, what a distribution says of data that
// is nowhere yet, which place the push chooses, when `auto` deviates from it, when that place is
// full, and what is then offered to sleepers.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include "base/ids.hpp"
#include "decide/limits.hpp"
#include "policy/policy.hpp"

namespace lares::decide {

/// One worker that places ready tasks, as its executor shows it. All but the policies' own answers
/// is a look at a field or a queue's length.
template <class W, class Task>
concept Placer =
    requires(W w, Task& task, const typename W::Access& access, DomainId domain, PlaceId place) {
      { w.places() } -> std::convertible_to<const policy::Places&>;
      { w.view() } -> std::convertible_to<policy::View>;
      { w.self() } -> std::convertible_to<WorkerId>;
      { w.place() } -> std::convertible_to<PlaceId>;    // its own
      { w.domain() } -> std::convertible_to<DomainId>;  // its own
      { w.distribution() } -> std::convertible_to<policy::Distribution&>;
      { w.push() } -> std::convertible_to<policy::Push&>;
      { w.wants_data() } -> std::convertible_to<bool>;      // where data is matters on this machine
      { w.keeps_dataless() } -> std::convertible_to<bool>;  // Push::keeps_dataless_tasks
      { w.deals() } -> std::convertible_to<bool>;           // Push::deals
      { w.may_deviate() } -> std::convertible_to<bool>;  // the user left the choice of policy to us
      w.thrift();
      { w.has_data(task) } -> std::convertible_to<bool>;  // as far as the program has told
      // What decides where the task goes: at most limits::deciding_accesses, in the program's
      // order.
      { w.accesses(task) } -> std::convertible_to<std::span<const typename W::Access>>;
      { w.creator(task) } -> std::convertible_to<WorkerId>;
      { access.mode } -> std::convertible_to<policy::AccessMode>;
      // A policy::DataHome as `home`, and who used it last as `last_core`.
      w.find(access);
      { w.block(access) } -> std::convertible_to<policy::Block>;
      { w.name(access) } -> std::convertible_to<std::uint32_t>;  // see policy::DataHome
      w.assume(access, domain);  // until somebody touches it or the system is asked
      w.found(task, typename W::MainHome{});
      // As found, or as told by whoever made a task without data, or invalid.
      { w.home(task) } -> std::convertible_to<DomainId>;
      { w.is_told(task) } -> std::convertible_to<bool>;  // that says more than where its data is
      // At home somewhere, and what it touches first shall stay there: leaves_alone() in find.hpp.
      { w.is_new(task) } -> std::convertible_to<bool>;
      { w.is_of_recursion(task) } -> std::convertible_to<bool>;  // made by a task, homes by shares
      { w.home_of_maker() } -> std::convertible_to<DomainId>;    // of the task that the worker runs
      {
        w.is_anybody_free(domain)
      } -> std::convertible_to<bool>;  // looks for work there, or sleeps
      { w.priority(task) } -> std::convertible_to<std::int32_t>;
      {
        w.may_run_now(task)
      } -> std::convertible_to<bool>;                  // false: its creator must not wait for it
      { w.throttles() } -> std::convertible_to<bool>;  // creators run tasks when queues are full
      { w.is_own_queue_full() } -> std::convertible_to<bool>;
      { w.own_length() } -> std::convertible_to<std::uint32_t>;     // of its own deque, about
      { w.own_has(std::uint32_t{}) } -> std::convertible_to<bool>;  // so many at least, for sure
      { w.length(place) } -> std::convertible_to<std::uint32_t>;
      { w.prioritised() } -> std::convertible_to<std::uint32_t>;
      { w.push_own(task) } -> std::convertible_to<bool>;  // false if there is no room
      // Rather for that worker, if valid; once it is queued a task may be gone.
      w.push_shared(place, task, WorkerId{});
      w.push_prioritised(task);
      // To sleepers; the task is compared only.
      w.offer(task, domain, std::uint32_t{}, bool{});
    };

/// Where most of a task's data is believed to be. Invalid if nothing is known.
template <class Core>
struct MainHome {
  DomainId domain;  ///< with cores
  Core last_core{};
  Bytes bytes;  ///< of all its data with a home
};

/// Finds the homes of the task's data; lets the distribution decide on data that has none, the
/// first of which is for `dealt_to`, unless its maker knows where the task belongs. Answers how
/// many it wrote to `found`.
template <class W, class Task>
std::uint32_t find_homes(W worker, Task& task, policy::DataHome* found, DomainId& dealt_to) {
  std::uint32_t count = 0;
  Bytes largest;
  typename W::MainHome main;
  const bool is_told = worker.home(task).valid();
  for (const auto& access : worker.accesses(task)) {
    auto here = worker.find(access);
    if (here.home.unplaced && policy::writes(access.mode) && !is_told) {
      const DomainId chosen = worker.distribution().on_place(worker.view(), worker.block(access));
      if (chosen.valid()) {
        worker.assume(access, chosen);
        here.home.home = chosen;
        if (!dealt_to.valid()) dealt_to = chosen;
      }
    }
    here.home.name = worker.name(access);
    found[count++] = here.home;
    if (!here.home.home.valid()) continue;
    // What is written weighs twice: it must be read and written back.
    const Bytes weight{(here.home.bytes.count + 1) * (policy::writes(access.mode) ? 2U : 1U)};
    if (!main.domain.valid() || weight > largest) {
      largest = weight;
      main.domain = worker.places().with_cores(here.home.home);
      main.last_core = here.last_core;
    }
    main.bytes += here.home.bytes;
  }
  worker.found(task, main);
  return count;
}

/// Where a task goes, and which worker of those who take from there shall rather run it: an invalid
/// id if none in particular.
struct Placement {
  PlaceId place;
  WorkerId rather_for{};
};

/// Of a task that names no data, or none that is anywhere: where its maker says that it is, if the
/// policy goes by data.
template <class W, class Task>
PlaceId place_of_dataless(W worker, const Task& task) {
  const policy::DataHome told{
      .home = worker.home(task), .bytes = {}, .mode = policy::AccessMode::affinity};
  if (told.home.valid() && worker.wants_data()) {
    return worker.push().on_ready(worker.view(), policy::ReadyTask{{&told, 1}});
  }
  if (worker.keeps_dataless()) return worker.place();
  return worker.push().on_ready(worker.view(), policy::ReadyTask{});
}

inline bool has_home(const policy::DataHome* found, std::uint32_t count) noexcept {
  for (std::uint32_t i = 0; i < count; ++i) {
    if (found[i].home.valid()) return true;
  }
  return false;
}

/// True if the task goes nowhere, whatever the push is asked: nothing is known of data that it has.
template <class W, class Task>
[[gnu::always_inline]] inline bool stays_with_worker(W worker, const Task& task) {
  return !worker.has_data(task) && !worker.home(task).valid() && worker.keeps_dataless();
}

/// True if the task stays with its maker, who runs a branch of a recursion away from home: whoever
/// does that waits for the branch's parts and may run nothing else meanwhile. They go home where
/// somebody is free for them, and stay where those at home would take them one by one and leave
/// their maker idle.
template <class W, class Task>
[[gnu::always_inline]] inline bool stays_away(W worker, const Task& task) {
  if (!worker.is_of_recursion(task)) return false;
  const DomainId home = worker.home(task);
  if (!home.valid() || home == worker.domain()) return false;
  const DomainId makers = worker.home_of_maker();
  if (!makers.valid() || makers == worker.domain()) return false;
  return !worker.is_anybody_free(home);
}

template <class W, class Task>
Placement choose_place(W worker, Task& task) {
  if (!worker.wants_data() || !worker.has_data(task) || worker.is_told(task)) {
    return {place_of_dataless(worker, task)};
  }
  policy::DataHome found[limits::deciding_accesses];
  DomainId dealt_to;
  const std::uint32_t count = find_homes(worker, task, found, dealt_to);
  if (dealt_to.valid() && dealt_to != worker.domain() && !worker.push().uses_data()) {
    return {worker.places().of(dealt_to)};
  }
  if (!has_home(found, count) && worker.home(task).valid()) {
    return {place_of_dataless(worker, task)};
  }
  const policy::ReadyTask ready{{found, count}};
  const PlaceId place = worker.push().on_ready(worker.view(), ready);
  if (!worker.deals() || place == worker.place()) return {place};
  return {place, worker.push().rather_for(worker.view(), ready, worker.places()[place].domain)};
}

/// The place of a ready task.
///
/// A task that is over sooner than it takes to move it between cores is best run by its creator,
/// who has it in its caches, wherever its data is. Only `auto` is free to say so, or that a task
/// stays_away(): a policy that the user has named is followed to the letter.
template <class W, class Task>
  requires Placer<W, Task>
[[gnu::always_inline]] inline Placement place_of(W worker, Task& task) {
  if (!worker.may_deviate()) return choose_place(worker, task);
  const policy::Places& places = worker.places();
  const WorkerId creator = worker.creator(task);
  if (creator == worker.self()) {
    if (stays_with_worker(worker, task) || worker.thrift().tasks_are_tiny() ||
        stays_away(worker, task)) {
      return {worker.place()};
    }
    return choose_place(worker, task);
  }
  const DomainId at_home = places.domain_of(creator);
  if (worker.thrift().is_learning() && at_home != worker.domain()) return {places.of(at_home)};
  return choose_place(worker, task);
}

/// True if a task for the worker's own place is for the others of its domain, too, and so lies in
/// the domain's queue: of what a creator makes at home, all but a few. Thieves cannot tell by a
/// deque whether what is in it is at home, as most of what tasks make is not. With two domains half
/// of all tasks are at home with their creator, and it would have to share a lock with all others
/// for each of them.
template <class W, class Task>
bool is_for_domain(W worker, const Task& task) {
  constexpr std::size_t few_domains = 2;
  if (!worker.may_deviate()) return false;
  if (worker.home(task) != worker.domain() || worker.creator(task) != worker.self()) return false;
  if (worker.places().domains_with_workers().size() <= few_domains) return false;
  return worker.own_has(limits::own_at_home) && !worker.thrift().tasks_are_tiny();
}

/// True if the place has enough that a creator may as well run the task itself.
///
/// A few tasks in the worker's own deque feed the team if anybody may take them. Those that are
/// there because their data is here feed one domain only, and the next ones may be another's: a
/// creator that stayed with them would leave the others without their own (Wittmann & Hager
/// 2010, 2.3), so these may be as many as in a shared queue.
template <class W, class Task>
[[gnu::always_inline]] inline bool is_full(W worker, const Task& task, bool is_shared,
                                           PlaceId queue) {
  if (is_shared) {
    return worker.throttles() && is_shared_queue_full(worker.length(queue));
  }
  if (!worker.is_own_queue_full()) return false;
  return !worker.home(task).valid() ||
         is_shared_queue_full(worker.own_length() + worker.length(queue));
}

/// The shared queue that takes a task for `place`, if the worker's own deque does not. Another
/// worker's deque is its own: its domain's queue stands for it, and for a full one.
inline PlaceId queue_of(const policy::Places& places, PlaceId place,
                        const policy::Place& there) noexcept {
  return there.worker.valid() ? places.of(there.domain) : place;
}

template <class W, class Task>
[[gnu::noinline]] bool put_prioritised(W worker, Task& task, bool may_run) {
  if (may_run && worker.may_run_now(task) && worker.throttles() &&
      is_shared_queue_full(worker.prioritised())) {
    return false;
  }
  worker.push_prioritised(task);
  worker.offer(task, worker.domain(), worker.prioritised(), false);
  return true;
}

/// Puts a ready task into its place, and offers it to sleepers. With `may_run`, answers false if
/// the caller should run it instead.
template <class W, class Task>
  requires Placer<W, Task>
[[gnu::always_inline]] inline bool put(W worker, Task& task, bool may_run) {
  if (worker.priority(task) > 0) [[unlikely]]
    return put_prioritised(worker, task, may_run);
  const policy::Places& places = worker.places();
  const auto [place, rather_for] = place_of(worker, task);
  const policy::Place& there = places[place];
  const PlaceId queue = queue_of(places, place, there);
  // What is new lies where all of its domain find it, and thieves know it from what tasks make.
  const bool is_others =
      worker.home(task).valid() && (worker.is_new(task) || is_for_domain(worker, task));
  const bool is_shared = place != worker.place() || is_others;
  if (may_run && worker.may_run_now(task) && is_full(worker, task, is_shared, queue)) return false;
  const DomainId domain = there.domain.valid() ? there.domain : worker.domain();
  const bool at_home = worker.home(task).valid() && worker.home(task) == domain;
  if (!is_shared && worker.push_own(task)) {
    worker.offer(task, domain, worker.own_length(), at_home);
    return true;
  }
  worker.push_shared(queue, task, rather_for);
  worker.offer(task, domain, worker.length(queue), at_home);
  return true;
}

}  // namespace lares::decide
