// Making tasks and handing them in.
#include <algorithm>
#include <cassert>
#include <cstdlib>

#include "base/clock.hpp"
#include "base/disorder.hpp"
#include "base/raw_memory.hpp"
#include "decide/help.hpp"
#include "decide/limits.hpp"
#include "runtime/ancestry.hpp"
#include "runtime/asking.hpp"
#include "runtime/at_once.hpp"
#include "runtime/completion.hpp"
#include "runtime/deep_stack.hpp"
#include "runtime/dependences.hpp"
#include "runtime/engine.hpp"
#include "runtime/exclusion.hpp"
#include "runtime/execution.hpp"
#include "runtime/finding.hpp"
#include "runtime/futex.hpp"
#include "runtime/placing.hpp"
#include "runtime/record.hpp"
#include "runtime/series.hpp"
#include "runtime/waiting.hpp"
#include "runtime/waking.hpp"
#include "runtime/watch.hpp"

namespace lares::runtime {

namespace {

/// How decide/ sees a worker that creates tasks.
class Creating : public Asking {
 public:
  explicit Creating(Worker& worker) noexcept : Asking(worker), worker_(&worker) {}
  [[nodiscard]] std::int32_t unfinished() const noexcept {
    return worker_->current->incomplete_children();
  }
  [[nodiscard]] decide::WaitBudget& budget() const noexcept { return worker_->wait_budget; }
  [[nodiscard]] Task* take_own() const noexcept { return runtime::take_own(*worker_); }
  [[nodiscard]] Task* find_work() const noexcept { return runtime::find_work(*worker_); }
  // A guess: whoever has just begun to look counts as busy.
  [[nodiscard]] bool others_are_busy() const noexcept {
    const Team& team = *worker_->team;
    std::size_t idle = team.sleepers->total();
    for (const Looking& domain : team.looking) idle += domain.count.load(std::memory_order_relaxed);
    return idle + 1 < team.size();
  }
  [[nodiscard]] Nanoseconds now() const noexcept { return lares::now(); }

 private:
  Worker* worker_;
};

[[gnu::noinline]] void help(Worker& worker) noexcept {
  using Step = decide::Help::Step;
  decide::Help help;
  for (Task* task = nullptr;;) {
    const Step step = help.next(Creating(worker), task);
    if (step == Step::create) return;
    if (step == Step::run) {
      execute(worker, *task);
    } else if (disorder::gives_way()) {
      continue;
    } else if (step == Step::look) {
      relax();
    } else {
      futex_wait(worker.parked, 0, decide::limits::pause_beyond);  // nobody wakes it: a pause
    }
  }
}

void help_while_too_many(Worker& worker) noexcept {
  if (!worker.team->throttles) return;
  // Created minus finished here: an upper bound that costs no look at what others wrote. What is
  // held waits for its creator, and nobody for it.
  const std::int64_t window = decide::creation_window(worker.team->size());
  if (worker.current->local_children > window + worker.hold.count()) [[unlikely]] {
    release_held(worker);
    help(worker);
  }
}

// Room for more accesses behind those that the task has, and as many edges: none is in use yet.
[[gnu::noinline]] std::span<Access> extend_accesses(Task& task, std::size_t more) noexcept {
  const std::uint32_t before = task.access_count;
  if (before == 0) return reserve_accesses(task, more);
  if (before + more <= task.edge_room) return {task.accesses, before + more};
  const Access* const accesses = task.accesses;
  void* const memory = task.extra_memory;
  task.extra_memory = nullptr;
  const std::span<Access> extended = reserve_accesses(task, before + more);
  std::copy_n(accesses, before, extended.begin());
  std::free(memory);
  return extended;
}

// Most tasks have a few, and nothing before.
Access* room_for_accesses(Task& task, std::size_t more) noexcept {
  if (task.access_count != 0 || more > Task::inline_accesses) [[unlikely]]
    return extend_accesses(task, more).data();
  task.accesses = task.inline_access;
  task.edges = task.inline_edge;
  task.edge_room = Task::inline_accesses;
  return task.inline_access;
}

// What the push decides on: the clauses of `depend`, behind what the front end has said already.
void copy_accesses(Task& task, std::span<const Dependence> dependences) noexcept {
  std::uint32_t count = task.access_count;
  Access* const accesses = room_for_accesses(task, dependences.size());
  for (const Dependence& dependence : dependences) {
    if (dependence.kind == DependKind::all_memory) continue;
    accesses[count].address = dependence.address;
    accesses[count].bytes = dependence.bytes;
    accesses[count].mode = dependence.kind == DependKind::in ? policy::AccessMode::read
                                                             : policy::AccessMode::read_write;
    ++count;
  }
  task.access_count = count;
}

void wait_for_release(Worker& worker, Task& task) noexcept {
  wait_until(worker, Wait::release, &task.waiting,
             [&task] { return task.released.load(std::memory_order_acquire); });
}

}  // namespace

Task* new_task(Worker& worker, std::size_t payload) noexcept {
  Task* task = worker.thread->pool.allocate(*worker.thread, payload);
  Task* parent = worker.current;
  become_child(*task, *parent);
  task->group = parent->open_group;
  task->open_group = parent->open_group;
  task->team = worker.team;
  task->priority = 0;
  task->flags = 0;
  task->creator = worker.id;
  task->local_children = 0;
  task->table_uses = 0;
  task->table = nullptr;
  task->front_end = nullptr;
  task->exclusives = nullptr;
  task->access_count = 0;
  task->edge_room = 0;
  task->home = DomainId{};
  task->data_bytes = Bytes{};
  task->located = Located::unknown;
  task->kind = 0;
  task->branch = 0;
  task->is_branch.store(false, std::memory_order_relaxed);
  // Not visible to others yet, so relaxed; publication through a queue releases them.
  task->holders.store(Task::alive, std::memory_order_relaxed);
  task->successors.store(nullptr, std::memory_order_relaxed);
  task->runner.store(nullptr, std::memory_order_relaxed);
  task->detach_state.store(detach_state::open, std::memory_order_relaxed);
  task->waiting.store(false, std::memory_order_relaxed);
  return task;
}

std::span<Access> reserve_accesses(Task& task, std::size_t count) noexcept {
  task.accesses = task.inline_access;
  task.edges = task.inline_edge;
  task.edge_room = Task::inline_accesses;
  if (count > Task::inline_accesses && task.extra_memory == nullptr) {
    task.extra_memory = need_memory(count * (sizeof(Access) + sizeof(Edge)));
    task.accesses = static_cast<Access*>(task.extra_memory);
    task.edges = reinterpret_cast<Edge*>(task.accesses + count);
    task.edge_room = static_cast<std::uint32_t>(count);
  }
  task.access_count = static_cast<std::uint32_t>(count);
  return {task.accesses, count};
}

namespace {
[[gnu::always_inline]] inline void discard(Worker& worker, Task& task) noexcept {
  if (task.extra_memory != nullptr) std::free(task.extra_memory);
  task.extra_memory = nullptr;
  TaskPool::release(*worker.thread, &task);
}
}  // namespace

namespace at_once {
void complete_unseen(Worker& worker, Task& task) noexcept {
  count_child(task);
  complete(&worker, task);
}
}  // namespace at_once

void discard_unsubmitted(Worker& worker, Task& task) noexcept { discard(worker, task); }

bool are_shared_queues_full(Worker& worker) noexcept {
  return decide::are_shared_queues_full(Asking(worker));
}

namespace {

// The same for a task that the front end has made. Answers true if it is gone.
template <bool recorded>
bool run_at_once(Worker& worker, Task& task) noexcept {
  task.flags = at_once::undeferred_flags(task.flags);
  const bool is_gone = at_once::run_unseen<recorded>(worker, task, task.run);
  if (is_gone) {
    discard(worker, task);
  } else {
    at_once::complete_unseen(worker, task);
  }
  return is_gone;
}

bool may_run_at_once(Worker& worker, const Task& task, bool depends) noexcept {
  if (task.has(task_flag::detachable)) return false;
  if (depends) return runs_in_order(worker);
  return task.priority == 0 && task.access_count == 0 && should_inline(worker);
}

}  // namespace

[[gnu::noinline]] void run_inline_observed(Worker& worker, void (*run)(Task&, Worker&),
                                           void* function, void* data, std::uint16_t flags,
                                           std::span<const Dependence> dependences) noexcept {
  at_once::run_spare<true>(worker, run, function, data, flags, dependences);
}

namespace {

[[gnu::always_inline]] inline void queue_ready(Worker& worker, Task& task) noexcept {
  count_child(task);
  count_created(worker, task);
  place_ready(worker, task);
}

// Puts the task where it waits for its turn.
void queue_up(Worker& worker, Task& task, std::span<const Dependence> dependences) noexcept {
  if (dependences.empty()) return queue_ready(worker, task);
  count_child(task);
  task.flags |= task_flag::depends;
  copy_accesses(task, dependences);
  help_while_too_many(worker);
  count_created(worker, task);
  if (!link_dependences(worker, task, dependences)) return;
  if (task.has(task_flag::exclusive) && !acquire_exclusive(task)) return;
  if (task.has(task_flag::held)) return hold(worker, task);
  place_ready(worker, task);
}

void hand_in(Worker& worker, Task& task, std::span<const Dependence> dependences) noexcept {
  if (may_run_at_once(worker, task, !dependences.empty())) {
    run_at_once<false>(worker, task);
  } else if (dependences.empty()) {
    queue_ready(worker, task);
  } else {
    queue_up(worker, task, dependences);
  }
}

[[gnu::noinline]] void hand_in_observed(Worker& worker, Task& task,
                                        std::span<const Dependence> dependences) noexcept {
  record::created(worker, task, dependences, 0);
  watch::created(worker, task, dependences, false);
  if (!may_run_at_once(worker, task, !dependences.empty())) {
    queue_up(worker, task, dependences);
  } else if (run_at_once<true>(worker, task)) {
    return record::resumed_at_end(worker);
  }
  record::resumed(worker);
}

}  // namespace

void submit(Worker& worker, Task& task, std::span<const Dependence> dependences) noexcept {
  if (worker.observed) [[unlikely]]
    return hand_in_observed(worker, task, dependences);
  hand_in(worker, task, dependences);
}

void submit_for_later(Worker& worker, Task& task) noexcept {
  if (worker.observed) [[unlikely]]
    return hand_in_observed(worker, task, {});
  queue_ready(worker, task);
}

namespace {

// The creator of an undeferred task waits until it is the task's turn.
void wait_for_turn(Worker& worker, Task& task, std::span<const Dependence> dependences) noexcept {
  if (dependences.empty() || runs_in_order(worker)) return;
  task.flags |= task_flag::depends | task_flag::waiter;
  copy_accesses(task, dependences);
  task.released.store(false, std::memory_order_relaxed);
  const bool linked = link_dependences(worker, task, dependences);
  const bool ready = linked && (!task.has(task_flag::exclusive) || acquire_exclusive(task));
  if (!ready) wait_for_release(worker, task);
  task.flags = static_cast<std::uint16_t>(task.flags & ~task_flag::waiter);
}

}  // namespace

void begin_undeferred(Worker& worker, Task& task,
                      std::span<const Dependence> dependences) noexcept {
  release_held(worker);
  record::created(worker, task, dependences, record_flag::undeferred);
  watch::created(worker, task, dependences, true);
  task.flags = at_once::undeferred_flags(task.flags);
  count_child(task);
  wait_for_turn(worker, task, dependences);
  begin_body(worker, task);
}

namespace {
// As wait_for_event() without a watcher, but both sides say who was first: see tell_detached().
void wait_for_event_watched(Worker& worker, Task& task) noexcept {
  if (task.detach_state.exchange(detach_state::body_ended, std::memory_order_acq_rel) ==
      detach_state::fulfilled) {
    watch::wait_until_told(task, 1);
    return watch::watcher()->ended(worker, task);
  }
  watch::tell_detached(worker, task);
  wait_until(worker, Wait::event, &task.waiting, [&task] {
    return task.detach_state.load(std::memory_order_acquire) == detach_state::fulfilled;
  });
  watch::wait_until_told(task, 2);
}
}  // namespace

void end_undeferred(Worker& worker, Task& task) noexcept {
  end_body(worker, task);
  if (task.has(task_flag::detachable) && watch::is_on(task)) [[unlikely]] {
    wait_for_event_watched(worker, task);
  } else if (task.has(task_flag::detachable)) {
    wait_until(worker, Wait::event, &task.waiting, [&task] {
      return task.detach_state.load(std::memory_order_acquire) == detach_state::fulfilled;
    });
  }
  complete(&worker, task);
  record::resumed(worker);
}

void run_undeferred(Worker& worker, Task& task, std::span<const Dependence> dependences) noexcept {
  begin_undeferred(worker, task, dependences);
  if (task.has(task_flag::must_run) || !is_dropped(task)) {
    run_body(worker, task);
  } else {
    watch::dropped(worker, task);
  }
  end_undeferred(worker, task);
}

void begin_pending(Worker& worker, Task& task, std::span<const Dependence> dependences) noexcept {
  release_held(worker);
  record::created(worker, task, dependences, record_flag::undeferred);
  watch::created(worker, task, dependences, true);
  task.flags = static_cast<std::uint16_t>(task.flags & ~task_flag::untied);
  // Like a task that is left for later: its group and the barrier wait for the event.
  count_child(task);
  count_created(worker, task);
  wait_for_turn(worker, task, dependences);
  begin_body(worker, task);
}

void end_pending(Worker& worker, Task& task) noexcept {
  end_body(worker, task);
  body_ended(worker, task);
  record::resumed(worker);
}

void run_pending(Worker& worker, Task& task, std::span<const Dependence> dependences) noexcept {
  begin_pending(worker, task, dependences);
  if (task.has(task_flag::must_run) || !is_dropped(task)) {
    run_body(worker, task);
  } else {
    watch::dropped(worker, task);
  }
  end_pending(worker, task);
}

namespace {
// True if the body has ended before. The task may be gone unless it has, or is undeferred.
bool fulfil_watched(Task& task) noexcept {
  const bool late =
      task.detach_state.exchange(detach_state::fulfilled, std::memory_order_seq_cst) ==
      detach_state::body_ended;
  if (late) watch::wait_until_told(task, 1);
  watch::tell_fulfilled(task, late);
  return late;
}
}  // namespace

void fulfil(Task& task) noexcept {
  if (task.has(task_flag::undeferred)) {
    Team& team = *task.team;
    Worker* const runner = task.runner.load(std::memory_order_relaxed);
    disorder::late(disorder::Point::fulfilling);
    if (watch::is_on(task)) [[unlikely]] {
      fulfil_watched(task);
    } else {
      task.detach_state.store(detach_state::fulfilled, std::memory_order_seq_cst);
    }
    disorder::pause(disorder::Point::fulfilling);
    if (task.waiting.load(std::memory_order_seq_cst)) wake_waiter(team, runner);
    return;
  }
  disorder::late(disorder::Point::fulfilling);
  const bool late = watch::is_on(task) ? fulfil_watched(task)
                                       : task.detach_state.exchange(detach_state::fulfilled,
                                                                    std::memory_order_acq_rel) ==
                                             detach_state::body_ended;
  if (!late) return;  // the body's end completes it
  task.team->pending_events.fetch_sub(1, std::memory_order_relaxed);
  Worker* worker = this_worker();
  complete(worker != nullptr && worker->team == task.team ? worker : nullptr, task);
}

}  // namespace lares::runtime
