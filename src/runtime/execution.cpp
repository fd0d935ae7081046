#include "runtime/execution.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "base/clock.hpp"
#include "base/disorder.hpp"
#include "runtime/asking.hpp"
#include "runtime/completion.hpp"
#include "runtime/deep_stack.hpp"
#include "runtime/engine.hpp"
#include "runtime/explain.hpp"
#include "runtime/first_touch_count.hpp"
#include "runtime/record.hpp"
#include "runtime/watch.hpp"

namespace lares::runtime {

namespace {

Locality by_home(const Worker& worker, const Task& task) noexcept {
  if (task.home != worker.domain) return Locality::remote;
  const bool other_core = task.last_core.valid() && task.last_core != worker.core;
  return other_core ? Locality::same_domain : Locality::local;
}

Locality by_creator(const Worker& worker, const Task& task) noexcept {
  if (task.creator == worker.id) return Locality::local;
  const DomainId creator = worker.team->places->domain_of(task.creator);
  return creator == worker.domain ? Locality::same_domain : Locality::remote;
}

[[gnu::noinline]] void touch_data(const Worker& worker, const Task& task) noexcept {
  memory::Homes& homes = *Engine::instance().homes();
  for (const Access& access : task.deciding_accesses()) {
    homes.touched(access.address, access.bytes, access.mode, worker.domain, worker.core);
  }
}

template <bool attended>
[[gnu::always_inline]] inline Locality count_start(Worker& worker, Task& task) noexcept {
  const bool is_known = task.home.valid();
  const Locality locality = is_known ? by_home(worker, task) : by_creator(worker, task);
  const auto kind = static_cast<std::size_t>(locality);
  if (!is_known) {
    worker.counters->tasks[kind].add(1);
  } else {
    worker.counters->data_tasks[kind].add(1);
    worker.counters->data_bytes[kind].add(task.data_bytes.count);
  }
  if constexpr (attended) {
    if (explain::is_on()) explain::ran(task, worker.domain);
  }
  if (task.access_count != 0 && worker.wants_data) touch_data(worker, task);
  return locality;
}

}  // namespace

bool is_dropped(const Task& task) noexcept {
  if (task.team->cancelled.load(std::memory_order_relaxed)) return true;
  return task.group != nullptr && task.group->is_cancelled();
}

namespace {

/// Whose pages these are by an opinion, as long as nobody has looked at them.
bool is_opinion(Located located) noexcept {
  return located == Located::name || located == Located::series || located == Located::loop;
}

// So that what a thief touches goes to the home of the task and not to the thief's.
void tell_whom_it_works_for(const Worker& worker, const Task* task) noexcept {
  if (worker.works_for == nullptr) return;
  const bool has_home = task != nullptr && is_opinion(task->located);
  worker.works_for->home.store(has_home ? task->home.value() : -1, std::memory_order_relaxed);
}

/// `attended`: Worker::attended, or the task is one that a tool is told of, or comes from afar.
template <bool attended>
[[gnu::always_inline]] inline void begin(Worker& worker, Task& task) noexcept {
  task.runner.store(&worker, std::memory_order_relaxed);
  worker.current = &task;
  worker.constraint = &task;  // an untied task's part, too: it cannot leave the stack it waits on
  if constexpr (attended) tell_whom_it_works_for(worker, &task);
  const Locality locality = count_start<attended>(worker, task);
  if constexpr (attended) {
    record::begun(worker, task, locality);
    watch::begun(worker, task);
  }
}

}  // namespace

void begin_body(Worker& worker, Task& task) noexcept { begin<true>(worker, task); }

void end_body(Worker& worker, Task& task) noexcept {
  record::ended(worker);
  watch::ended(worker, task);
  // Only its creator runs a task like this, from its own body: that is what it goes back to.
  Task* const creator = task.parent.load(std::memory_order_relaxed);
  worker.current = creator;
  worker.constraint = creator;
  tell_whom_it_works_for(worker, creator);
}

namespace {
// The body has ended, but an event is to come: whoever fulfils it completes the task, maybe while
// this worker runs the task's children. So they count in `holders` from here on.
void share_children(Task& task) noexcept {
  task.runner.store(nullptr, std::memory_order_relaxed);  // only this worker depends on seeing it
  // relaxed: the exchange of detach_state that follows publishes it.
  task.holders.fetch_add(task.local_children, std::memory_order_relaxed);
  task.local_children = 0;
}

// The event came before the end of the body: so the tool hears of it before.
void end_fulfilled(Worker& worker, Task& task) noexcept {
  watch::wait_until_told(task, 1);
  watch::watcher()->ended(worker, task);
}

// True if the event of a detachable task has not come yet: fulfil() completes the task then.
bool waits_for_event(Worker& worker, Task& task) noexcept {
  if (!task.has(task_flag::detachable)) return false;
  const bool watched = watch::is_on(task);  // it may be gone after the exchange, unless it is
  share_children(task);
  Team& team = *task.team;
  team.pending_events.fetch_add(1, std::memory_order_relaxed);
  disorder::late(disorder::Point::fulfilling);
  // acq_rel: what the fulfiller did comes before the completion here, and the other way round.
  if (task.detach_state.exchange(detach_state::body_ended, std::memory_order_acq_rel) !=
      detach_state::fulfilled) {
    if (watched) [[unlikely]]
      watch::tell_detached(worker, task);
    return true;
  }
  if (watched) [[unlikely]]
    end_fulfilled(worker, task);
  team.pending_events.fetch_sub(1, std::memory_order_relaxed);
  return false;
}
}  // namespace

void body_ended(Worker& worker, Task& task) noexcept {
  if (!waits_for_event(worker, task)) complete(&worker, task);
}

namespace {
// It has fetched the task that it is about to run: where from?
[[gnu::noinline]] DomainId go_away(Worker& worker) noexcept {
  worker.team->away[worker.domain.index()].goes();
  return std::exchange(worker.leaves_for, DomainId{});
}

[[gnu::noinline]] void come_back(Worker& worker, DomainId from, const Task& task,
                                 std::uint64_t duration) noexcept {
  Team& team = *worker.team;
  team.away[worker.domain.index()].comes_back(
      decide::away_at_once(*team.places, from, worker.away_at_once), team.away[from.index()],
      duration, task.data_bytes);
}

// Of the task that it ran last, and of the memory that its tasks came to since the last sample.
[[gnu::noinline]] void tell_sample(Worker& worker, const Task& task,
                                   std::uint64_t duration) noexcept {
  worker.restraint.ran(duration);
  if (!task.is_branch.load(std::memory_order_relaxed)) worker.deference.ran(duration);
  if (task.home.valid() && task.home == worker.domain) {
    worker.team->away[worker.domain.index()].ran_at_home(duration, task.data_bytes);
  }
  if (!Asking(worker).settles()) return;
  worker.first_touches.tell(worker.team->settling.number(), pages_touched_first(), ticks());
}

template <bool attended>
[[gnu::always_inline]] inline void execute_as(Worker& worker, Task& task) noexcept {
  Task* const previous = worker.current;
  Task* const constraint = worker.constraint;
  const bool foreign = task.creator != worker.id;
  const bool at_home = task.home.valid() && task.home == worker.domain;
  const bool for_sure = at_home && (worker.restraint.is_sure() || !Asking(worker).settles());
  if (worker.restraint.works(at_home, for_sure)) [[unlikely]] {
    worker.team->feeds(worker.domain);
  }
  worker.deference.works();
  const bool timed_here = worker.restraint.times();
  DomainId fetched_from;
  if constexpr (attended) {
    if (worker.leaves_for.valid()) fetched_from = go_away(worker);
  }
  const bool timed = worker.thrift.times(foreign) || timed_here || fetched_from.valid();
  const std::uint64_t start = timed ? ticks() : 0;
  begin<attended>(worker, task);
  if (task.has(task_flag::must_run) || !task.team->cancellable || !is_dropped(task)) {
    run_body(worker, task);
  } else if constexpr (attended) {
    watch::dropped(worker, task);
  }
  if constexpr (attended) {
    record::ended(worker);
    watch::ended(worker, task);
  }
  if (timed) {
    const std::uint64_t end = ticks();
    worker.thrift.ran(foreign, end - start, end);
    const bool is_tiny = worker.may_deviate && worker.thrift.tasks_are_tiny();
    if (is_tiny != worker.keeps_tiny) [[unlikely]]
      learn_from_thrift(worker);
    if (timed_here) [[unlikely]]
      tell_sample(worker, task, end - start);
    if constexpr (attended) {
      if (fetched_from.valid()) come_back(worker, fetched_from, task, end - start);
    }
  }
  worker.current = previous;
  worker.constraint = constraint;
  if constexpr (attended) tell_whom_it_works_for(worker, previous);
}

[[gnu::noinline]] void execute_attended(Worker& worker, Task& task) noexcept {
  execute_as<true>(worker, task);
  body_ended(worker, task);
}

}  // namespace

void execute(Worker& worker, Task& task) noexcept {
  const bool rare = task.has(task_flag::watched | task_flag::detachable);
  if (worker.attended || rare || worker.leaves_for.valid()) [[unlikely]]
    return execute_attended(worker, task);
  execute_as<false>(worker, task);
  complete(&worker, task);
}

}  // namespace lares::runtime
