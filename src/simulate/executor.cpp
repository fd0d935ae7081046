#include "simulate/executor.hpp"

#include <algorithm>
#include <array>

#include "policy/limits.hpp"

namespace lares::simulate {
namespace {

namespace limits = policy::limits;

constexpr double nanosecond_s = 1e-9;

}  // namespace

void TaskDeque::push(TaskIndex task) {
  if (size_ == ring_.size()) {
    std::rotate(ring_.begin(), ring_.begin() + first_, ring_.end());
    first_ = 0;
    ring_.resize(ring_.size() * 2);
  }
  ring_[(first_ + size_) & (ring_.size() - 1)] = task;
  ++size_;
}

TaskIndex TaskDeque::pop_newest() noexcept {
  --size_;
  return ring_[(first_ + size_) & (ring_.size() - 1)];
}

TaskIndex TaskDeque::pop_oldest() noexcept {
  const TaskIndex task = ring_[first_];
  first_ = static_cast<std::uint32_t>((first_ + 1) & (ring_.size() - 1));
  --size_;
  return task;
}

Executor::Executor(const machine::Machine& machine, std::span<const CoreId> core_of_worker,
                   const policy::Choice& choice, const Workload& workload,
                   const std::vector<DomainId>& homes, const Costs& costs, std::uint64_t seed)
    : workload_(workload),
      homes_(homes),
      dealt_(homes.size()),
      costs_(costs),
      places_(machine, core_of_worker),
      queues_(places_.size()),
      home_of_task_(workload.tasks.size()),
      creator_(workload.tasks.size(), WorkerId{0}) {
  for (std::size_t w = 0; w < core_of_worker.size(); ++w) {
    Worker worker(static_cast<std::uint64_t>(w) + 1 + (seed << 32U));
    worker.distribution = choice.distribution->make();
    worker.push = choice.push->make();
    worker.steal = choice.steal->make();
    worker.victim_storage.resize(worker.steal->max_victims(places_));
    worker.place = places_.of(WorkerId{w});
    worker.domain = places_.domain_of(WorkerId{w});
    workers_.push_back(std::move(worker));
  }
  wants_data_ = workload.tells && machine.domains_with_cores() > 1 && policy::wants_homes(choice);
  keeps_dataless_ = workers_.front().push->keeps_dataless_tasks();
}

std::uint32_t Executor::length(PlaceId place) const noexcept {
  const WorkerId worker = places_[place].worker;
  return worker.valid() ? workers_[worker.index()].deque.size()
                        : queues_[place.index()].tasks.size();
}

void Executor::note(Decision::Kind kind, WorkerId worker, TaskIndex task, PlaceId place) {
  if (record != nullptr) record->push_back({kind, worker, task, place});
}

// --- putting
// --------------------------------------------------------------------------------------

std::uint32_t Executor::find_homes(WorkerId worker, TaskIndex task, policy::DataHome* found,
                                   DomainId& dealt_to) {
  const auto accesses = workload_.accesses_of(task);
  const std::size_t count = std::min<std::size_t>(accesses.size(), limits::deciding_accesses);
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Access& access = accesses[i];
    const Block& block = workload_.blocks[access.block];
    // What was dealt out is believed until somebody has touched it.
    DomainId home = homes_[access.block].valid() ? homes_[access.block] : dealt_[access.block];
    if (!home.valid() && policy::writes(access.mode)) {
      const DomainId chosen =
          workers_[worker.index()].distribution->on_place(view_of(worker), block.in_area);
      if (chosen.valid()) {
        home = dealt_[access.block] = chosen;
        if (!dealt_to.valid()) dealt_to = chosen;
      }
    }
    found[i] = {home, block.bytes, access.mode, !home.valid()};
    if (!home.valid()) continue;
    const std::uint64_t weight = (block.bytes.count + 1) * (policy::writes(access.mode) ? 2U : 1U);
    if (home_of_task_[task].valid() && weight <= largest) continue;
    largest = weight;
    home_of_task_[task] = places_.with_cores(home);
  }
  return static_cast<std::uint32_t>(count);
}

PlaceId Executor::choose_place(WorkerId id, TaskIndex task) {
  Worker& worker = workers_[id.index()];
  if (!wants_data_ || workload_.accesses_of(task).empty()) {
    if (keeps_dataless_) return worker.place;
    return worker.push->on_ready(view_of(id), policy::ReadyTask{});
  }
  std::array<policy::DataHome, limits::deciding_accesses> found;
  DomainId dealt_to;
  const std::uint32_t count = find_homes(id, task, found.data(), dealt_to);
  if (dealt_to.valid() && dealt_to != worker.domain && !worker.push->uses_data()) {
    return places_.of(dealt_to);
  }
  return worker.push->on_ready(view_of(id), policy::ReadyTask{{found.data(), count}});
}

bool Executor::is_full(const Worker& worker, PlaceId place, PlaceId queue) const noexcept {
  if (place == worker.place) {
    const auto threads = static_cast<std::uint32_t>(workers_.size());
    return worker.deque.size() >= std::min(limits::own_queue_per_worker * threads, limits::deque);
  }
  return queues_[queue.index()].tasks.size() >= limits::shared_queue;
}

void Executor::push_to(PlaceId queue, TaskIndex task, double& clock) {
  SharedQueue& shared = queues_[queue.index()];
  clock = std::max(clock, shared.free_at) + costs_.queue * nanosecond_s;
  shared.free_at = clock;
  shared.tasks.push(task);
}

bool Executor::put(WorkerId id, TaskIndex task, bool may_run, double& clock, DomainId& near) {
  Worker& worker = workers_[id.index()];
  const PlaceId place = choose_place(id, task);
  const policy::Place& there = places_[place];
  // Another worker's deque is its own: its domain's queue stands for it, and for a full one.
  const PlaceId queue = there.worker.valid() ? places_.of(there.domain) : place;
  if (may_run && is_full(worker, place, queue)) return false;
  if (place == worker.place && worker.deque.size() < limits::deque) {
    worker.deque.push(task);
    note(Decision::Kind::push, id, task, place);
  } else {
    push_to(queue, task, clock);
    note(Decision::Kind::push, id, task, queue);
  }
  ++queued_;
  near = there.domain.valid() ? there.domain : worker.domain;
  return true;
}

void Executor::put_back(WorkerId id, TaskIndex task, double& clock) {
  Worker& worker = workers_[id.index()];
  if (worker.deque.size() < limits::deque) {
    worker.deque.push(task);
  } else {
    push_to(places_.of(worker.domain), task, clock);
  }
  ++queued_;
}

// --- taking
// ---------------------------------------------------------------------------------------

void Executor::count_steal(const Worker& worker, DomainId from) noexcept {
  ++steals_;
  if (from != worker.domain) ++remote_steals_;
}

std::optional<TaskIndex> Executor::take_from(WorkerId id, PlaceId queue, bool patient,
                                             double& clock) {
  SharedQueue& shared = queues_[queue.index()];
  if (shared.tasks.size() == 0) return std::nullopt;
  // A thief that finds the lock taken goes on to its next victim.
  if (shared.free_at > clock && !patient) return std::nullopt;
  clock = std::max(clock, shared.free_at) + costs_.queue * nanosecond_s;
  shared.free_at = clock;
  --queued_;
  const TaskIndex task = shared.tasks.pop_oldest();
  note(Decision::Kind::take, id, task, queue);
  return task;
}

std::optional<TaskIndex> Executor::visit(WorkerId id, PlaceId place, double& clock) {
  Worker& worker = workers_[id.index()];
  const policy::Place& there = places_[place];
  if (there.worker == id) return std::nullopt;
  clock += costs_.probe * nanosecond_s;
  if (!there.worker.valid()) {
    const bool own = there.domain == worker.domain;
    const auto task = take_from(id, place, own, clock);
    if (task && !own && there.domain.valid()) count_steal(worker, there.domain);
    return task;
  }
  TaskDeque& deque = workers_[there.worker.index()].deque;
  if (deque.size() == 0) return std::nullopt;
  count_steal(worker, there.domain);
  --queued_;
  const TaskIndex task = deque.pop_oldest();
  note(Decision::Kind::take, id, task, place);
  return task;
}

std::optional<TaskIndex> Executor::find_work(WorkerId id, double& clock) {
  Worker& worker = workers_[id.index()];
  if (worker.deque.size() > 0) {
    --queued_;
    const TaskIndex task = worker.deque.pop_newest();
    note(Decision::Kind::take, id, task, worker.place);
    return task;
  }
  const bool alone = workers_.size() == 1 && places_.domain_count() == 1;
  if (!alone) {
    policy::Victims victims(worker.victim_storage);
    worker.steal->on_idle(view_of(id), victims);
    for (const PlaceId place : victims.list()) {
      if (const auto task = visit(id, place, clock)) return task;
    }
  }
  // The queues that are as near to this worker as to any other.
  const PlaceId first = alone ? places_.of(worker.domain) : places_.root();
  const PlaceId second = alone ? places_.root() : places_.of(worker.domain);
  if (const auto task = take_from(id, first, true, clock)) return task;
  return take_from(id, second, true, clock);
}

std::optional<TaskIndex> Executor::take_own(WorkerId id, double& clock) {
  Worker& worker = workers_[id.index()];
  if (worker.deque.size() == 0) return take_from(id, places_.of(worker.domain), false, clock);
  --queued_;
  const TaskIndex task = worker.deque.pop_newest();
  note(Decision::Kind::take, id, task, worker.place);
  return task;
}

Locality Executor::locality(WorkerId id, TaskIndex task) const noexcept {
  const Worker& worker = workers_[id.index()];
  const DomainId home = home_of_task_[task];
  if (home.valid()) return home == worker.domain ? Locality::local : Locality::remote;
  const WorkerId creator = creator_[task];
  if (creator == id) return Locality::local;
  return workers_[creator.index()].domain == worker.domain ? Locality::same_domain
                                                           : Locality::remote;
}

}  // namespace lares::simulate
