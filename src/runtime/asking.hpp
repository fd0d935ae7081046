// Inside the engine: how decide/ sees a worker and its team.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/clock.hpp"
#include "decide/find.hpp"
#include "decide/place.hpp"
#include "memory/homes.hpp"
#include "runtime/first_touch_count.hpp"
#include "runtime/task.hpp"
#include "runtime/team.hpp"
#include "runtime/waking.hpp"

namespace lares::runtime {

/// A worker that places tasks and looks for them. A reference: passed by value. Called by the
/// worker.
class Asking {
 public:
  using Access = runtime::Access;
  using MainHome = decide::MainHome<CoreId>;
  using Found = Task*;

  explicit Asking(Worker& worker) noexcept : worker_(&worker) {}

  [[nodiscard]] const policy::Places& places() const noexcept { return *worker_->team->places; }
  [[nodiscard]] policy::View view() const noexcept { return view_of(*worker_); }
  [[nodiscard]] WorkerId self() const noexcept { return worker_->id; }
  [[nodiscard]] PlaceId place() const noexcept { return worker_->place; }
  [[nodiscard]] DomainId domain() const noexcept { return worker_->domain; }
  [[nodiscard]] std::size_t workers() const noexcept { return worker_->team->size(); }

  // --- placing
  [[nodiscard]] policy::Distribution& distribution() const noexcept {
    return *worker_->distribution;
  }
  [[nodiscard]] policy::Push& push() const noexcept { return *worker_->push; }
  [[nodiscard]] bool wants_data() const noexcept { return worker_->wants_data; }
  [[nodiscard]] bool keeps_dataless() const noexcept { return worker_->keeps_dataless; }
  [[nodiscard]] bool deals() const noexcept { return worker_->deals; }
  [[nodiscard]] bool may_deviate() const noexcept { return worker_->may_deviate; }
  [[nodiscard]] const decide::Thrift& thrift() const noexcept { return worker_->thrift; }
  [[nodiscard]] bool has_data(const Task& task) const noexcept { return task.access_count != 0; }
  [[nodiscard]] std::span<const Access> accesses(const Task& task) const noexcept {
    return task.deciding_accesses();
  }
  [[nodiscard]] WorkerId creator(const Task& task) const noexcept { return task.creator; }
  [[nodiscard]] memory::FoundHome find(const Access& access) const noexcept;
  [[nodiscard]] policy::Block block(const Access& access) const noexcept;
  [[nodiscard]] std::uint32_t name(const Access& access) const noexcept {
    return static_cast<std::uint32_t>(access.address) / 64;
  }
  void assume(const Access& access, DomainId domain) const noexcept;
  void found(Task& task, const MainHome& main) const noexcept;
  [[nodiscard]] DomainId home(const Task& task) const noexcept { return task.home; }
  [[nodiscard]] bool is_told(const Task& task) const noexcept { return task.has(task_flag::told); }
  [[nodiscard]] bool is_new(const Task& task) const noexcept {
    return task.home.valid() && settles();
  }
  [[nodiscard]] bool is_of_recursion(const Task& task) const noexcept { return task.kind != 0; }
  [[nodiscard]] DomainId home_of_maker() const noexcept { return worker_->current->home; }
  [[nodiscard]] bool is_anybody_free(DomainId domain) const noexcept;
  [[nodiscard]] std::int32_t priority(const Task& task) const noexcept { return task.priority; }
  [[nodiscard]] bool may_run_now(const Task& task) const noexcept {
    return !task.has(task_flag::detachable);
  }
  [[nodiscard]] bool throttles() const noexcept { return worker_->team->throttles; }
  [[nodiscard]] bool is_own_queue_full() const noexcept {
    return runtime::is_own_queue_full(*worker_);
  }
  [[nodiscard]] std::uint32_t own_length() const noexcept {
    return static_cast<std::uint32_t>(worker_->deque.size_at_most());
  }
  [[nodiscard]] bool own_has(std::uint32_t count) const noexcept {
    // The bound that needs no look at the thieves' line comes first.
    return worker_->deque.size_at_most() >= count && worker_->deque.refresh_size() >= count;
  }
  [[nodiscard]] std::uint32_t length(PlaceId queue) const noexcept {
    return worker_->team->queues[queue.index()]->length();
  }
  [[nodiscard]] bool push_own(Task& task) const noexcept { return worker_->deque.push(task); }
  void push_shared(PlaceId queue, Task& task, WorkerId rather_for) const noexcept;
  void push_prioritised(Task& task) const noexcept;
  void offer(const Task& task, DomainId domain, std::uint32_t queued, bool at_home) const noexcept {
    notify(*worker_->team, {domain, &task, queued, at_home});
  }

  // --- looking
  [[nodiscard]] policy::Steal& steal() const noexcept { return *worker_->steal; }
  [[nodiscard]] policy::Victims victims() const noexcept {
    return policy::Victims(worker_->victim_storage);
  }
  [[nodiscard]] std::uint32_t prioritised() const noexcept {
    return worker_->team->prioritised.length();
  }
  [[nodiscard]] bool any_queued() const noexcept {
    // Every queued task was counted, and set this first.
    return worker_->team->tasks_seen.load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool is_pausing() const noexcept {
    return worker_->thrift.pauses([] { return ticks(); });
  }
  [[nodiscard]] bool settles() const noexcept {
    return worker_->may_deviate && worker_->team->settling.number() != 0;
  }
  [[nodiscard]] bool is_held(WorkerId worker) const noexcept {
    const std::uint64_t until = worker_->team->workers[worker.index()]->deque.held_until();
    return until != 0 && ticks() < until;
  }
  [[nodiscard]] bool may_leave_for(DomainId there) const noexcept {
    const auto& away = worker_->team->away;
    return decide::may_leave(away[worker_->domain.index()], away[there.index()],
                             decide::away_at_once(places(), there, worker_->away_at_once),
                             ticks_per_microsecond());
  }
  void leaves_for(DomainId there) const noexcept {
    if (worker_->away_at_once != 0) worker_->leaves_for = there;
  }
  [[nodiscard]] bool may_wait(std::uint64_t tasks) const noexcept {
    return worker_->restraint.may_wait(tasks, [] { return ticks(); });
  }
  [[nodiscard]] bool goes_on() const noexcept {
    return worker_->may_deviate && worker_->team->goes_on.load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool stays(bool settles) const noexcept {
    const Nanoseconds least =
        settles && may_touch_first() ? decide::limits::patience_at_first : Nanoseconds{};
    return worker_->restraint.stays([] { return ticks(); },
                                    decide::to_ticks(least, ticks_per_microsecond()));
  }
  [[nodiscard]] bool has_stayed() const noexcept { return worker_->restraint.has_stayed(ticks()); }
  [[nodiscard]] bool constrained() const noexcept { return worker_->constraint != nullptr; }
  [[nodiscard]] Task* take_prioritised(decide::Look look) const noexcept;
  [[nodiscard]] Task* pop_own() const noexcept;
  [[nodiscard]] Task* take(PlaceId place, decide::Look look) const noexcept;
  [[nodiscard]] Task* steal_from(WorkerId victim) const noexcept;
  [[nodiscard]] bool is_afar(PlaceId place) const noexcept;
  /// Whether it leaves branches to those of `home`: see decide::Deference.
  [[nodiscard]] bool defers_to(DomainId home) const noexcept;
  void stolen(DomainId from) const noexcept;
  void offer_own() const noexcept;

 private:
  [[nodiscard]] bool may_touch_first() const noexcept {
    return worker_->first_touches.any(
        worker_->team->settling.number(), [] { return pages_touched_first(); },
        [] { return ticks(); });
  }

  Worker* worker_;
};

}  // namespace lares::runtime
