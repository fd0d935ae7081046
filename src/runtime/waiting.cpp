#include "runtime/waiting.hpp"

#include <cstdlib>
#include <new>
#include <utility>

#include "base/disorder.hpp"
#include "base/raw_memory.hpp"
#include "runtime/alone.hpp"
#include "runtime/dependences.hpp"
#include "runtime/engine.hpp"
#include "runtime/futex.hpp"
#include "runtime/record.hpp"
#include "runtime/series.hpp"
#include "runtime/taskloop.hpp"

namespace lares::runtime {

namespace {
// They take some tens of microseconds.
constexpr std::uint32_t first_rounds = 64;
}  // namespace

bool Patience::is_over() noexcept {
  const std::uint64_t time = ticks();
  if (rounds_ == first_rounds) {
    spins_until_ = time + decide::to_ticks(team_->longest_spin, ticks_per_microsecond());
  }
  return time > spins_until_;
}

bool Patience::exhausted() noexcept {
  if (rounds_ >= spin_rounds_) return true;
  if (rounds_ >= first_rounds && is_over()) [[unlikely]]
    return true;
  ++rounds_;
  if (disorder::gives_way()) return false;
  // Each look takes lines from those who work. After the first rounds it does not matter any more
  // whether work is seen one microsecond later or three.
  const std::uint32_t pauses = rounds_ < 16 ? rounds_ : rounds_ < first_rounds ? 16 : 64;
  for (std::uint32_t i = 0; i < pauses; ++i) relax();
  return false;
}

bool Patience::sees_work(const Worker& worker) noexcept {
  const auto most_looks = disorder::limit(disorder::Limit::looks, std::uint32_t{256});
  const Team& team = *worker.team;
  // A crowded team has others awake; a constrained worker mostly sees what it may not run.
  if (team.is_crowded() || worker.constraint != nullptr || looks_ >= most_looks) return false;
  ++looks_;
  for (std::size_t i = 0; i < team.places->size(); ++i) {
    if (team.length(PlaceId{i}) != 0) return true;
  }
  return false;
}

Nanoseconds Patience::next_sleep() noexcept {
  const Nanoseconds now_for = sleep_;
  if (sleep_ < longest_sleep_) sleep_ = sleep_ + sleep_;
  return now_for;
}

Sleeper::Sleeper(Worker& worker, std::atomic<bool>* waiting) noexcept
    : worker_(worker),
      waiting_(waiting),
      with_(worker.constraint == nullptr ? &worker.team->sleepers->free(worker.domain) : nullptr),
      bell_(with_ != nullptr ? with_->bell() : 0) {
  if (waiting != nullptr) share_children(*worker.current);
  // Before anybody can choose this one, and so count it out.
  worker.team->sleepers->count_in();
  disorder::pause(disorder::Point::announced);
  if (with_ != nullptr) {
    with_->lie_down();
  } else {
    // release: the descriptor is found made.
    worker.sleeps_under.store(worker.constraint, std::memory_order_release);
    worker.parked.store(1, std::memory_order_seq_cst);
    disorder::pause(disorder::Point::announced);
    worker.team->sleepers->add_bound(worker.domain, worker.id);
  }
  // Orders the announcement before the look that follows, against those who queue a task and then
  // look for sleepers. They have only a light fence; but before the first task there are none of
  // them yet, and who makes it fences when it says so (count_created).
  fence_after_write();
  if (worker.team->tasks_seen.load(std::memory_order_relaxed)) heavy_fence();
  disorder::pause(disorder::Point::announced);
}

// From here on `holders` counts all children, so that the last one knows that it is the last.
void Sleeper::share_children(Task& current) noexcept {
  waiting_->store(true, std::memory_order_seq_cst);
  disorder::pause(disorder::Point::announced);
  if (current.local_children == 0) return;
  // seq_cst: a child that counts before this is seen by the look that follows, a later one sees
  // `waiting`.
  current.holders.fetch_add(current.local_children, std::memory_order_seq_cst);
  current.local_children = 0;
}

bool Sleeper::wake_up() noexcept {
  if (!announced_) return false;
  announced_ = false;
  disorder::pause(disorder::Point::woken);
  Team& team = *worker_.team;
  const bool chosen =
      with_ != nullptr ? with_->get_up() : !team.sleepers->remove_bound(worker_.domain, worker_.id);
  disorder::pause(disorder::Point::got_up);
  if (chosen) {
    team.waking.fetch_sub(1, std::memory_order_relaxed);
  } else {
    team.sleepers->count_out();
  }
  // relaxed: whoever still finds it set wakes one who does not sleep.
  if (with_ == nullptr) worker_.parked.store(0, std::memory_order_relaxed);
  if (waiting_ != nullptr) waiting_->store(false, std::memory_order_relaxed);
  disorder::pause(disorder::Point::withdrawn);
  return chosen;
}

void Sleeper::sleep(Nanoseconds limit) noexcept {
  disorder::pause(disorder::Point::before_sleep);
  if (with_ != nullptr) {
    with_->sleep(bell_, limit);
  } else {
    futex_wait(worker_.parked, 1, limit);
  }
}

void Lookout::begin() noexcept {
  // One that waits inside a task may not run most of what it would be counted on for.
  if (looking_ || worker_.constraint != nullptr) return;
  looking_ = true;
  worker_.team->looking[worker_.domain.index()].count.fetch_add(1, std::memory_order_relaxed);
}

void Lookout::end() noexcept {
  if (!looking_) return;
  looking_ = false;
  // seq_cst: before the last look, as the announcement of a sleeper.
  worker_.team->looking[worker_.domain.index()].count.fetch_sub(1, std::memory_order_seq_cst);
  disorder::pause(disorder::Point::looked_away);
}

namespace {

[[gnu::noinline]] void wait_for_children(Worker& worker, Task& current) noexcept {
  record::waits(worker, RecordWait::children);
  if (current.incomplete_children() != 0) {
    wait_until(worker, Wait::children, &current.waiting,
               [&current] { return current.incomplete_children() == 0; });
    // After a sleep the two counts are nothing together; back to nothing each.
    if (current.local_children < 0) {
      current.holders.fetch_add(current.local_children, std::memory_order_relaxed);
      current.local_children = 0;
    }
  }
  record::resumed(worker);
}

}  // namespace

void taskwait(Worker& worker) noexcept {
  Task& current = *worker.current;
  // What is recorded tells of every wait.
  if (current.incomplete_children() != 0 || record::is_on(worker)) {
    wait_for_children(worker, current);
  }
  end_series_round(worker);
}

namespace {

void wait_for_dependences(Worker& worker, std::span<const Dependence> dependences) noexcept {
  if (worker.current->table == nullptr) return;
  Task& waiter = *new_task(worker, 0);
  waiter.flags = task_flag::waiter;
  waiter.released.store(false, std::memory_order_relaxed);
  reserve_accesses(waiter, dependences.size());
  if (!link_waiter(worker, waiter, dependences)) {
    wait_until(worker, Wait::dependences, &waiter.waiting,
               [&waiter] { return waiter.released.load(std::memory_order_acquire); });
  }
  discard_unsubmitted(worker, waiter);
}

}  // namespace

void taskwait_depend(Worker& worker, std::span<const Dependence> dependences) noexcept {
  record::waits(worker, RecordWait::accesses, dependences);
  wait_for_dependences(worker, dependences);
  record::resumed(worker);
}

void taskyield(Worker& worker) noexcept {
  if (!worker.team->tasks_seen.load(std::memory_order_relaxed)) return;
  release_held(worker);
  if (Task* task = find_work(worker); task != nullptr) execute(worker, *task);
}

// --- groups
// -----------------------------------------------------------------------------------------

namespace {

Taskgroup* open_group(Worker& worker, Taskgroup& group) noexcept {
  group.outer = worker.current->open_group;
  group.owner.store(&worker, std::memory_order_relaxed);
  group.reductions = nullptr;
  group.taskloop = OpenTaskloop::none;
  group.workshare = false;
  group.data.bytes = Bytes{};
  group.incomplete.store(0, std::memory_order_relaxed);
  group.cancelled.store(false, std::memory_order_relaxed);
  group.waiting.store(false, std::memory_order_relaxed);
  worker.current->open_group = &group;
  return &group;
}

// The thread's own group if it has one left.
[[gnu::noinline]] Taskgroup* begin_group_slowly(Worker& worker) noexcept {
  Taskgroup* group = worker.thread->free_groups;
  if (group == nullptr) {
    group = make_raw<Taskgroup>();
  } else {
    worker.thread->free_groups = group->outer;
  }
  open_group(worker, *group);
  if (record::is_on(worker)) record::opens_group(worker);
  return group;
}

void close_group(Worker& worker, Task& current, Taskgroup& group) noexcept {
  if (group.taskloop != OpenTaskloop::none) end_taskloop(*worker.team, group.taskloop);
  current.open_group = group.outer;
  group.outer = worker.thread->free_groups;
  worker.thread->free_groups = &group;
}

void wait_for_members(Worker& worker, Task& current, Taskgroup& group) noexcept {
  record::waits(worker, RecordWait::group);
  group.owner.store(&worker, std::memory_order_relaxed);  // an untied task may have moved
  wait_until(worker, Wait::group, &group.waiting,
             [&group] { return group.incomplete.load(std::memory_order_acquire) == 0; });
  close_group(worker, current, group);
  record::resumed(worker);
}

[[gnu::noinline]] void end_group_slowly(Worker& worker) noexcept {
  Task& current = *worker.current;
  Taskgroup& group = *current.open_group;
  // What is recorded tells of every wait.
  if (group.incomplete.load(std::memory_order_acquire) != 0 || record::is_on(worker)) {
    wait_for_members(worker, current, group);
  } else {
    close_group(worker, current, group);
  }
  end_series_round(worker);
}

}  // namespace

// The common case of these two calls nothing: a group of one tiny task feels what a call saves and
// restores.

Taskgroup* begin_group(Worker& worker) noexcept {
  Taskgroup* const group = worker.thread->free_groups;
  if (group == nullptr || record::is_on(worker)) [[unlikely]]
    return begin_group_slowly(worker);
  worker.thread->free_groups = group->outer;
  return open_group(worker, *group);
}

void end_group(Worker& worker) noexcept {
  Taskgroup& group = *worker.current->open_group;
  if (group.incomplete.load(std::memory_order_acquire) != 0 || record::is_on(worker) ||
      group.taskloop != OpenTaskloop::none || has_round_of_series(worker)) [[unlikely]] {
    return end_group_slowly(worker);
  }
  close_group(worker, *worker.current, group);
}

Taskgroup* current_group(Worker& worker) noexcept { return worker.current->open_group; }

void cancel_group(Taskgroup& group) noexcept {
  Taskgroup& target = group.workshare && group.outer != nullptr ? *group.outer : group;
  target.cancelled.store(true, std::memory_order_relaxed);
}

bool is_cancelled(Worker& worker) noexcept {
  if (worker.team->cancelled.load(std::memory_order_relaxed)) return true;
  const Taskgroup* group = current_group(worker);
  return group != nullptr && group->is_cancelled();
}

// --- the team's barrier
// -----------------------------------------------------------------------------

namespace {

// What follows a barrier is, in a loop around barriers, what followed one before: on the same
// threads if it shares work out by their numbers. All of them wait at this moment.
void tell_of_next_phase(const Team& team, const void* site) noexcept {
  if (!Engine::is_stable_work_awaited()) return;
  auto code = reinterpret_cast<std::uintptr_t>(site);
  if (code == 0 && team.hint != nullptr) code = team.hint->code.load(std::memory_order_relaxed);
  // Another cause than the region itself.
  Engine::tell_of_stable_work({~code, team.size(), !has_tasks(team)});
}

void open_barrier(Team& team, const void* site) noexcept {
  tell_of_next_phase(team, site);
  team.tasks_seen.store(false, std::memory_order_relaxed);
  forget_creators(team);
  disorder::pause(disorder::Point::opening);
  // seq_cst with the announcement in Sleeper; it also releases what all arrivals published.
  team.epoch.fetch_add(1, std::memory_order_seq_cst);
  disorder::pause(disorder::Point::opened);
  if (!disorder::omits(disorder::Fault::no_wake_at_opening)) wake_team(team);
}

// With tasks in the region: opens the barrier if all have arrived and no task is left. Whoever
// takes `arrived` back to zero does it; the others see the new epoch.
void try_to_open(Team& team, const void* site) noexcept {
  auto all = static_cast<std::uint32_t>(team.size());
  if (!team.tasks_seen.load(std::memory_order_relaxed)) return;
  if (team.arrived.load(std::memory_order_acquire) != all || !team.quiet()) return;
  disorder::pause(disorder::Point::opening);
  if (team.arrived.compare_exchange_strong(all, 0, std::memory_order_acq_rel,
                                           std::memory_order_relaxed)) {
    open_barrier(team, site);
  }
}

bool has_opened(const Team& team, std::uint32_t epoch) noexcept {
  return team.epoch.load(std::memory_order_acquire) != epoch ||
         team.cancelled.load(std::memory_order_relaxed);
}

// Waits without looking for tasks while nobody has made any. Answers false when it is time to do
// more than that: there are tasks, or it takes long.
bool spin_without_tasks(Worker& worker, std::uint32_t epoch) noexcept {
  const Team& team = *worker.team;
  // A crowded team cannot meet before the waiting threads let the others run. Those of inner teams
  // may take long, and would be switched to at each yield: they get the core for good.
  const bool crowded = team.is_crowded();
  const bool yields = crowded && !team.is_crowded_by_inner_teams();
  const std::uint32_t spins =
      disorder::limit(disorder::Limit::barrier_spins, std::uint32_t{crowded ? 64U : 4096U});
  for (std::uint32_t i = 0; i < spins; ++i) {
    if (has_opened(team, epoch)) return true;
    if (team.tasks_seen.load(std::memory_order_relaxed)) return false;
    if (disorder::gives_way()) continue;
    if (!yields) {
      relax();
    } else if (!worker.courtesy.yield()) {
      return false;
    }
  }
  return false;
}

bool meet(Worker& worker, Wait what, const void* site) noexcept {
  Team& team = *worker.team;
  if (team.size() == 1 || team.alone) {
    drain(worker, what);
    return team.cancelled.load(std::memory_order_relaxed);
  }
  const std::uint32_t epoch = team.epoch.load(std::memory_order_relaxed);
  const auto all = static_cast<std::uint32_t>(team.size());
  disorder::late(disorder::Point::arriving);
  // acq_rel: the last to arrive sees what all others did before, tasks_seen included. If it is
  // false then, it was false for everybody, and nobody but the last will open.
  const bool last = team.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == all;
  if (last && !team.tasks_seen.load(std::memory_order_relaxed)) {
    // tasks_seen may be false only because another has opened since we arrived: not twice.
    // acquire: in that case the tasks that ran meanwhile come before what follows here.
    std::uint32_t still_all = all;
    if (team.arrived.compare_exchange_strong(still_all, 0, std::memory_order_acquire)) {
      open_barrier(team, site);
    }
    return team.cancelled.load(std::memory_order_relaxed);
  }
  if (!last && spin_without_tasks(worker, epoch)) {
    return team.cancelled.load(std::memory_order_relaxed);
  }
  Task* const constraint = worker.constraint;
  worker.constraint = nullptr;  // tasks suspended in a barrier constrain nothing
  wait_until(
      worker, what, nullptr, [&team, epoch] { return has_opened(team, epoch); },
      [&team, site] { try_to_open(team, site); });
  worker.constraint = constraint;
  return team.cancelled.load(std::memory_order_relaxed);
}

}  // namespace

namespace {

// For whom the summary says how long threads wait behind loops.
[[gnu::noinline]] bool meet_behind_loop(Worker& worker, Wait what, const void* site) noexcept {
  const std::uint64_t weight = std::exchange(worker.loop_wait_weight, 0);
  const std::uint64_t start = ticks();
  const bool cancelled = meet(worker, what, site);
  if (worker.counters != nullptr) worker.counters->loop_wait_ticks.add(weight * (ticks() - start));
  return cancelled;
}

}  // namespace

bool meet_at_barrier(Worker& worker, Wait what, const void* site) noexcept {
  release_held(worker);
  const bool cancelled = worker.loop_wait_weight != 0 ? meet_behind_loop(worker, what, site)
                                                      : meet(worker, what, site);
  end_series_round(worker);
  return cancelled;
}

bool barrier(Worker& worker, const void* site) noexcept {
  record::waits(worker, RecordWait::barrier);
  const bool cancelled = meet_at_barrier(worker, Wait::barrier, site);
  record::resumed(worker);
  Engine::leave_barrier(worker);
  return cancelled;
}

void drain(Worker& worker, Wait wait) noexcept {
  Team& team = *worker.team;
  if (!team.deferred_seen.load(std::memory_order_relaxed)) return;
  Task* const constraint = worker.constraint;
  worker.constraint = nullptr;
  if (team.alone) {
    run_all_alone(worker);  // what the others were running stays unfinished
  } else {
    // The others may wait in the stock runtime already, or be gone: whatever is left is for this
    // one.
    // relaxed: a sleeper's announcement comes after it, with its own order.
    team.draining.fetch_add(1, std::memory_order_relaxed);
    wait_until(worker, wait, nullptr, [&team] { return team.quiet(); }, [] {}, Reach::everywhere);
    team.draining.fetch_sub(1, std::memory_order_relaxed);
  }
  worker.constraint = constraint;
}

void cancel_team(Team& team) noexcept {
  team.cancelled.store(true, std::memory_order_seq_cst);
  disorder::pause(disorder::Point::opened);
  wake_team(team);
}

}  // namespace lares::runtime
