#include "runtime/finding.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "base/disorder.hpp"
#include "base/tick_rate.hpp"
#include "runtime/ancestry.hpp"
#include "runtime/asking.hpp"
#include "runtime/record.hpp"
#include "runtime/shared_out.hpp"
#include "runtime/standstill.hpp"
#include "runtime/waking.hpp"

namespace lares::runtime {

namespace {

bool may_run(const Worker& worker, const Task& task) noexcept {
  return worker.constraint == nullptr ||
         task.parent.load(std::memory_order_relaxed) == worker.constraint ||
         descends_from(task, *worker.constraint);
}

// A look covers part of a long queue; what is there for the worker may lie further back.
Task* take_with_looks(SharedQueue& queue, const Task* constraint, std::uint32_t looks) noexcept {
  for (; looks != 0; --looks) {
    if (Task* task = queue.take(constraint, true); task != nullptr) return task;
  }
  return nullptr;
}

}  // namespace

inline Task* Asking::take_prioritised(decide::Look look) const noexcept {
  PriorityQueue& queue = worker_->team->prioritised;
  return look == decide::Look::all ? queue.take_awaited(worker_->constraint)
                                   : queue.take(worker_->constraint);
}

inline Task* Asking::pop_own() const noexcept {
  Task* task = worker_->deque.pop();
  if (task == nullptr || may_run(*worker_, *task)) return task;
  disorder::pause(disorder::Point::found);
  worker_->deque.push(*task);  // there is room: it was just taken out
  return nullptr;
}

inline bool Asking::is_afar(PlaceId place) const noexcept {
  const DomainId there = places()[place].domain;
  return there.valid() && there != worker_->domain;
}

namespace {

// Who sleeps, also inside of a task, has looked and found nothing that it may run.
bool is_anybody_up(const Team& team, DomainId domain) noexcept {
  return std::ranges::any_of(team.places->workers_in(domain), [&team](WorkerId worker) {
    const Worker& there = *team.workers[worker.index()];
    return (there.waits_for.load(std::memory_order_relaxed) & wait_asleep) == 0;
  });
}

}  // namespace

inline bool Asking::defers_to(DomainId home) const noexcept {
  // Inside of a task of its own domain it waits for a part of that, and so may those at home.
  const Task* const inside = worker_->constraint;
  if (inside != nullptr && inside->home == worker_->domain) return false;
  using For = decide::Deference::For;
  const For how = Engine::leaves_branches() ? For::leaf : For::moment;
  return is_anybody_up(*worker_->team, home) &&
         worker_->deference.defers(ticks(), ticks_per_microsecond(), how);
}

// Most looks find nothing, and cost one load.
[[gnu::always_inline]] inline Task* Asking::take(PlaceId place, decide::Look look) const noexcept {
  SharedQueue& queue = *worker_->team->queues[place.index()];
  if (queue.length() == 0) return nullptr;
  if (SharedOut::gives_homes() && is_afar(place)) [[unlikely]] {
    Task* const leaf = queue.take_leaf(worker_->constraint, look != decide::Look::pass);
    if (leaf != nullptr || (queue.branches() != 0 && defers_to(places()[place].domain)))
      return leaf;
  }
  if (look == decide::Look::all) {
    return take_with_looks(queue, worker_->constraint, queue.looks_at_all());
  }
  const bool own = worker_->deals && place == places().of(worker_->domain);
  return queue.take(worker_->constraint, look == decide::Look::patient,
                    own ? worker_->id : WorkerId{});
}

inline Task* Asking::steal_from(WorkerId victim) const noexcept {
  Deque& deque = worker_->team->workers[victim.index()]->deque;
  if (SharedOut::gives_homes() && places().domain_of(victim) != worker_->domain) [[unlikely]] {
    if (deque.has_branch_first() && defers_to(places().domain_of(victim))) return nullptr;
  }
  return deque.steal(worker_->constraint);
}

void Asking::stolen(DomainId from) const noexcept {
  worker_->counters->steals[distance_rank(*worker_, from)].add(1);
  record::stolen(*worker_, from);
}

void Asking::offer_own() const noexcept {
  if (disorder::omits(disorder::Fault::no_own_queue_offered)) return;
  Team& team = *worker_->team;
  SharedQueue& queue = *team.queues[team.places->of(worker_->domain).index()];
  while (Task* task = worker_->deque.pop()) {
    disorder::pause(disorder::Point::found);
    const Offer offer{.domain = worker_->domain, .task = task};
    queue.push(*task);
    notify(team, offer);  // any sleeper may be the one that waits for it
  }
}

Task* take_own(Worker& worker) noexcept { return decide::take_own(Asking(worker)); }

Task* find_work(Worker& worker) noexcept { return decide::find_work(Asking(worker)); }

namespace {

Task* find_left_alone(Worker& worker) noexcept {
  const Team& team = *worker.team;
  return decide::find_in(Asking(worker), [&team](PlaceId place) {
    return team.length(place) != 0 && is_left_alone(team, place);
  });
}

}  // namespace

Task* find_awaited(Worker& worker, Reach reach) noexcept {
  if (reach == Reach::policy && worker.constraint == nullptr) return find_left_alone(worker);
  // Its policy will look there soon.
  if (reach == Reach::policy && worker.restraint.left(ticks()) != 0) return nullptr;
  return decide::find_anywhere(Asking(worker));
}

}  // namespace lares::runtime
