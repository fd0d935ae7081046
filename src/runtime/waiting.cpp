#include "runtime/waiting.hpp"

#include <sched.h>

#include <cstdlib>
#include <new>

#include "runtime/alone.hpp"
#include "runtime/dependences.hpp"
#include "runtime/engine.hpp"
#include "runtime/futex.hpp"
#include "runtime/record.hpp"

namespace lares::runtime {

bool Patience::exhausted() noexcept {
  if (rounds_ >= spin_rounds_) return true;
  ++rounds_;
  const std::uint32_t pauses = rounds_ < 16 ? rounds_ : 16;
  for (std::uint32_t i = 0; i < pauses; ++i) relax();
  return false;
}

bool Patience::sees_work(const Worker& worker) noexcept {
  constexpr std::uint32_t most_looks = 256;
  const Team& team = *worker.team;
  // A crowded team has others awake; a constrained worker mostly sees what it may not run.
  if (team.crowded || worker.constraint != nullptr || looks_ >= most_looks) return false;
  ++looks_;
  for (std::size_t i = 0; i < team.places->size(); ++i) {
    if (team.length(PlaceId{i}) == 0) continue;
    sched_yield();
    return true;
  }
  return false;
}

Nanoseconds Patience::next_sleep() noexcept {
  const Nanoseconds now_for = sleep_;
  if (sleep_ < longest_sleep_) sleep_ = sleep_ + sleep_;
  return now_for;
}

Sleeper::Sleeper(Worker& worker, std::atomic<bool>* waiting) noexcept
    : team_(*worker.team),
      place_(team_.sleeping[worker.domain.index()]),
      seen_(place_.word.load(std::memory_order_acquire)) {
  if (waiting != nullptr) waiting->store(true, std::memory_order_seq_cst);
  place_.sleepers.fetch_add(1, std::memory_order_seq_cst);
  team_.total_sleepers.fetch_add(1, std::memory_order_seq_cst);
  heavy_fence();  // pairs with light_fence in notify
}

Sleeper::~Sleeper() {
  team_.total_sleepers.fetch_sub(1, std::memory_order_relaxed);
  place_.sleepers.fetch_sub(1, std::memory_order_relaxed);
  team_.waking.store(0, std::memory_order_relaxed);
}

void Sleeper::sleep(Nanoseconds limit) noexcept { futex_wait(place_.word, seen_, limit); }

void taskwait(Worker& worker) noexcept {
  Task& current = *worker.current;
  record::waits(worker, RecordWait::children);
  if (current.incomplete_children() != 0) {
    wait_until(worker, &current.waiting, [&current] { return current.incomplete_children() == 0; });
    current.waiting.store(false, std::memory_order_relaxed);
  }
  record::resumed(worker);
}

namespace {

void wait_for_dependences(Worker& worker, std::span<const Dependence> dependences) noexcept {
  if (worker.current->table == nullptr) return;
  Task& waiter = *new_task(worker, 0);
  waiter.flags = task_flag::waiter;
  waiter.parts.store(0, std::memory_order_relaxed);
  reserve_accesses(waiter, dependences.size());
  if (!link_waiter(worker, waiter, dependences)) {
    wait_until(worker, &waiter.waiting,
               [&waiter] { return waiter.parts.load(std::memory_order_acquire) != 0; });
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
  if (Task* task = find_work(worker); task != nullptr) execute(worker, *task);
}

// --- groups
// -----------------------------------------------------------------------------------------

Taskgroup* begin_group(Worker& worker) noexcept {
  ThreadState& self = *worker.thread;
  Taskgroup* group = self.free_groups;
  if (group != nullptr) {
    self.free_groups = group->outer;
  } else {
    void* memory = std::malloc(sizeof(Taskgroup));
    if (memory == nullptr) std::abort();
    group = new (memory) Taskgroup;
  }
  group->outer = worker.current->open_group;
  group->owner.store(&worker, std::memory_order_relaxed);
  group->reductions = nullptr;
  group->workshare = false;
  group->incomplete.store(0, std::memory_order_relaxed);
  group->cancelled.store(false, std::memory_order_relaxed);
  group->waiting.store(false, std::memory_order_relaxed);
  worker.current->open_group = group;
  record::opens_group(worker);
  return group;
}

void end_group(Worker& worker) noexcept {
  Task& current = *worker.current;
  Taskgroup& group = *current.open_group;
  record::waits(worker, RecordWait::group);
  if (group.incomplete.load(std::memory_order_acquire) != 0) {
    group.owner.store(&worker, std::memory_order_relaxed);  // an untied task may have moved
    wait_until(worker, &group.waiting,
               [&group] { return group.incomplete.load(std::memory_order_acquire) == 0; });
  }
  current.open_group = group.outer;
  group.outer = worker.thread->free_groups;
  worker.thread->free_groups = &group;
  record::resumed(worker);
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

void open_barrier(Team& team) noexcept {
  team.tasks_seen.store(false, std::memory_order_relaxed);
  // seq_cst with the announcement in Sleeper; it also releases what all arrivals published.
  team.epoch.fetch_add(1, std::memory_order_seq_cst);
  light_fence();  // pairs with heavy_fence in Sleeper
  if (team.total_sleepers.load(std::memory_order_seq_cst) != 0) wake_team(team);
}

// With tasks in the region: opens the barrier if all have arrived and no task is left. Whoever
// takes `arrived` back to zero does it; the others see the new epoch.
void try_to_open(Team& team) noexcept {
  auto all = static_cast<std::uint32_t>(team.size());
  if (!team.tasks_seen.load(std::memory_order_relaxed)) return;
  if (team.arrived.load(std::memory_order_acquire) != all || !team.quiet()) return;
  if (team.arrived.compare_exchange_strong(all, 0, std::memory_order_acq_rel,
                                           std::memory_order_relaxed)) {
    open_barrier(team);
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
  // A crowded team cannot meet before the waiting threads let the others run.
  const std::uint32_t spins = team.crowded ? 64 : 4096;
  for (std::uint32_t i = 0; i < spins; ++i) {
    if (has_opened(team, epoch)) return true;
    if (team.tasks_seen.load(std::memory_order_relaxed)) return false;
    if (!team.crowded) {
      relax();
    } else if (!worker.courtesy.yield()) {
      return false;
    }
  }
  return false;
}

}  // namespace

bool barrier(Worker& worker) noexcept {
  record::waits(worker, RecordWait::barrier);
  const bool cancelled = meet_at_barrier(worker);
  record::resumed(worker);
  return cancelled;
}

bool meet_at_barrier(Worker& worker) noexcept {
  Team& team = *worker.team;
  if (team.size() == 1 || team.alone) {
    drain(worker);
    return team.cancelled.load(std::memory_order_relaxed);
  }
  const std::uint32_t epoch = team.epoch.load(std::memory_order_relaxed);
  const auto all = static_cast<std::uint32_t>(team.size());
  // acq_rel: the last to arrive sees what all others did before, tasks_seen included. If it is
  // false then, it was false for everybody, and nobody but the last will open.
  const bool last = team.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == all;
  if (last && !team.tasks_seen.load(std::memory_order_relaxed)) {
    // tasks_seen may be false only because another has opened since we arrived: not twice.
    // acquire: in that case the tasks that ran meanwhile come before what follows here.
    std::uint32_t still_all = all;
    if (team.arrived.compare_exchange_strong(still_all, 0, std::memory_order_acquire)) {
      open_barrier(team);
    }
    return team.cancelled.load(std::memory_order_relaxed);
  }
  if (!last && spin_without_tasks(worker, epoch)) {
    return team.cancelled.load(std::memory_order_relaxed);
  }
  Task* const constraint = worker.constraint;
  worker.constraint = nullptr;  // tasks suspended in a barrier constrain nothing
  wait_until(
      worker, nullptr, [&team, epoch] { return has_opened(team, epoch); },
      [&team] { try_to_open(team); });
  worker.constraint = constraint;
  return team.cancelled.load(std::memory_order_relaxed);
}

void drain(Worker& worker) noexcept {
  Team& team = *worker.team;
  if (!team.deferred_seen.load(std::memory_order_relaxed)) return;
  Task* const constraint = worker.constraint;
  worker.constraint = nullptr;
  if (team.alone) {
    run_all_alone(worker);  // what the others were running stays unfinished
  } else {
    wait_until(worker, nullptr, [&team] { return team.quiet(); });
  }
  worker.constraint = constraint;
}

void cancel_team(Team& team) noexcept {
  team.cancelled.store(true, std::memory_order_seq_cst);
  wake_team(team);
}

}  // namespace lares::runtime
