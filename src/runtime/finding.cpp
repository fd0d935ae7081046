#include "runtime/finding.hpp"

#include <algorithm>

#include "base/disorder.hpp"
#include "runtime/ancestry.hpp"
#include "runtime/waking.hpp"

namespace lares::runtime {

namespace {

bool may_run(const Worker& worker, const Task& task) noexcept {
  return worker.constraint == nullptr ||
         task.parent.load(std::memory_order_relaxed) == worker.constraint ||
         descends_from(task, *worker.constraint);
}

Task* pop_own(Worker& worker) noexcept {
  Task* task = worker.deque.pop();
  if (task == nullptr || may_run(worker, *task)) return task;
  disorder::pause(disorder::Point::found);
  worker.deque.push(*task);  // there is room: it was just taken out
  return nullptr;
}

void count_steal(Worker& worker, DomainId from) noexcept {
  std::size_t rank = 0;
  if (from.valid()) {
    for (const DomainId domain : worker.team->places->nearest_first(worker.domain)) {
      if (domain == from) break;
      ++rank;
    }
  }
  worker.counters->steals[std::min(rank, distance_ranks - 1)].add(1);
}

// A look covers part of a long queue; what is there for the worker may lie further back.
Task* take_with_looks(SharedQueue& queue, const Task* constraint, std::uint32_t looks) noexcept {
  for (; looks != 0; --looks) {
    if (Task* task = queue.take(constraint, true); task != nullptr) return task;
  }
  return nullptr;
}

// `thorough` waits for the lock of a shared queue, and looks at all that is in it.
Task* visit(Worker& worker, PlaceId place, bool thorough) noexcept {
  Team& team = *worker.team;
  const policy::Place& there = (*team.places)[place];
  if (!there.worker.valid()) {
    SharedQueue& queue = *team.queues[place.index()];
    const bool own = there.domain == worker.domain;
    Task* task = thorough ? take_with_looks(queue, worker.constraint, queue.looks_at_all())
                          : queue.take(worker.constraint, own);
    if (task != nullptr && !own && there.domain.valid()) count_steal(worker, there.domain);
    return task;
  }
  if (there.worker == worker.id) return nullptr;
  Task* task = team.workers[there.worker.index()]->deque.steal(worker.constraint);
  if (task != nullptr) count_steal(worker, there.domain);
  return task;
}

// From the queues that are as near to this worker as to any other.
Task* take_shared(Worker& worker) noexcept {
  Team& team = *worker.team;
  // The root place also holds what threads outside of the team made ready, and the domain's takes
  // what does not fit into a full deque.
  if (Task* task = team.queues[0]->take(worker.constraint, true); task != nullptr) return task;
  return team.queues[team.places->of(worker.domain).index()]->take(worker.constraint, true);
}

void offer_own(Worker& worker) noexcept {
  if (disorder::omits(disorder::Fault::no_own_queue_offered)) return;
  Team& team = *worker.team;
  SharedQueue& queue = *team.queues[team.places->of(worker.domain).index()];
  while (Task* task = worker.deque.pop()) {
    disorder::pause(disorder::Point::found);
    const Offer offer{.domain = worker.domain, .task = task};
    queue.push(*task);
    notify(team, offer);  // any sleeper may be the one that waits for it
  }
}

}  // namespace

Task* take_own(Worker& worker) noexcept {
  if (Task* task = pop_own(worker); task != nullptr) return task;
  SharedQueue& queue = *worker.team->queues[worker.team->places->of(worker.domain).index()];
  return queue.take(worker.constraint, false);
}

Task* find_work(Worker& worker) noexcept {
  Team& team = *worker.team;
  if (team.prioritised.length() != 0) {
    if (Task* task = team.prioritised.take(worker.constraint); task != nullptr) return task;
  }
  if (Task* task = pop_own(worker); task != nullptr) return task;
  // Every queued task was counted, and set this first.
  if (!team.tasks_seen.load(std::memory_order_relaxed)) return nullptr;
  if (worker.thrift.pauses()) return take_shared(worker);
  if (team.size() == 1 && team.places->domain_count() == 1) {
    if (Task* task =
            team.queues[team.places->of(worker.domain).index()]->take(worker.constraint, true);
        task != nullptr) {
      return task;
    }
    return team.queues[0]->take(worker.constraint, true);
  }
  policy::Victims victims(worker.victim_storage);
  worker.steal->on_idle(view_of(worker), victims);
  for (const PlaceId place : victims.list()) {
    if (Task* task = visit(worker, place, false); task != nullptr) return task;
  }
  return take_shared(worker);
}

Task* find_awaited(Worker& worker, Reach reach) noexcept {
  if (reach == Reach::policy && worker.constraint == nullptr) return nullptr;
  if (worker.constraint != nullptr) offer_own(worker);
  Team& team = *worker.team;
  if (Task* task = team.prioritised.take_awaited(worker.constraint); task != nullptr) return task;
  for (std::size_t i = 0; i < team.places->size(); ++i) {
    // Deques too: an owner may wait for us where it runs no tasks, in a lock or in the stock
    // runtime.
    if (Task* task = visit(worker, PlaceId{i}, true); task != nullptr) return task;
  }
  return nullptr;
}

}  // namespace lares::runtime
