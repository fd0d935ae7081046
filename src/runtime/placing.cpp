#include "runtime/placing.hpp"

#include <algorithm>
#include <atomic>

#include "base/clock.hpp"
#include "base/disorder.hpp"
#include "policy/limits.hpp"
#include "runtime/engine.hpp"
#include "runtime/exclusion.hpp"
#include "runtime/execution.hpp"
#include "runtime/waking.hpp"

namespace lares::runtime {

namespace {

// One in so many queue operations is timed.
constexpr std::uint32_t sample_interval = 512;

/// Times one in `sample_interval` queue operations.
class Sample {
 public:
  explicit Sample(Worker& worker) noexcept : worker_(worker) {
    worker.counters->queue_operations.add(1);
    if (--worker.sample_countdown == 0) {
      worker.sample_countdown = sample_interval;
      start_ = ticks();
    }
  }
  Sample(const Sample&) = delete;
  Sample& operator=(const Sample&) = delete;
  ~Sample() {
    if (start_ != 0) [[unlikely]]
      tell();
  }

 private:
  [[gnu::noinline]] void tell() const noexcept {
    CounterSlot& counters = *worker_.counters;
    const std::uint64_t taken = ticks() - start_;
    counters.sampled_ticks.add(taken);
    counters.samples.add(1);
    const std::uint64_t longest = counters.longest_sample.get();
    if (taken > longest) counters.longest_sample.add(taken - longest);
  }

  Worker& worker_;
  std::uint64_t start_ = 0;
};

// --- where the data is

// Tells the user once if the kernel does not say where memory is.
void note_refusal(const memory::Homes& homes) noexcept {
  static std::atomic<bool> noted{false};
  const int refusal = homes.refused();
  if (refusal == 0 || noted.exchange(true, std::memory_order_relaxed)) return;
  char sentence[sizeof(Note::text)];
  memory::describe_refusal(refusal, sentence);
  Engine::instance().note(sentence);
}

// Finds the homes of the task's data; lets the distribution decide on data that has none, the first
// of which is for `dealt_to`.
std::uint32_t find_homes(Worker& worker, Task& task, policy::DataHome* found,
                         DomainId& dealt_to) noexcept {
  memory::Homes& homes = *Engine::instance().homes();
  std::uint32_t count = 0;
  Bytes largest;
  for (const Access& access : task.deciding_accesses()) {
    memory::FoundHome here = homes.find_with_core(access.address, access.bytes, access.mode);
    if (here.home.unplaced && policy::writes(access.mode)) {
      const policy::Block block =
          Engine::instance().extents()->block_of(access.address, access.bytes);
      const DomainId chosen = worker.distribution->on_place(view_of(worker), block);
      if (chosen.valid()) {
        homes.assume(access.address, access.bytes, chosen);
        here.home.home = chosen;
        if (!dealt_to.valid()) dealt_to = chosen;
      }
    }
    found[count++] = here.home;
    if (!here.home.home.valid()) continue;
    // What is written weighs twice: it must be read and written back.
    const Bytes weight{(here.home.bytes.count + 1) * (policy::writes(access.mode) ? 2U : 1U)};
    if (!task.home.valid() || weight > largest) {
      largest = weight;
      task.home = worker.team->places->with_cores(here.home.home);
      task.last_core = here.last_core;
    }
    task.data_bytes += here.home.bytes;
  }
  note_refusal(homes);
  return count;
}

PlaceId choose_place(Worker& worker, Task& task) noexcept {
  if (!worker.wants_data || task.access_count == 0) {
    if (worker.keeps_dataless) return worker.place;
    return worker.push->on_ready(view_of(worker), policy::ReadyTask{});
  }
  policy::DataHome found[policy::limits::deciding_accesses];
  DomainId dealt_to;
  const std::uint32_t count = find_homes(worker, task, found, dealt_to);
  if (dealt_to.valid() && dealt_to != worker.domain && !worker.push->uses_data()) {
    return worker.team->places->of(dealt_to);
  }
  return worker.push->on_ready(view_of(worker), policy::ReadyTask{{found, count}});
}

// --- into a queue

// True if the queue is full enough that the creator may as well run the task itself.
bool is_full(Worker& worker, PlaceId place, PlaceId queue) noexcept {
  if (place == worker.place) return is_own_queue_full(worker);
  return worker.team->throttles &&
         worker.team->queues[queue.index()]->length() >=
             disorder::limit(disorder::Limit::shared_queue, policy::limits::shared_queue);
}

// A task that is over sooner than it takes to move it between cores is best run by its creator, who
// has it in its caches, wherever its data is. Only `auto` is free to say so: a policy that the user
// has named is followed to the letter.
PlaceId place_of(Worker& worker, Task& task) noexcept {
  if (!worker.may_deviate) return choose_place(worker, task);
  const policy::Places& places = *worker.team->places;
  if (task.creator == worker.id) {
    return worker.thrift.tasks_are_tiny() ? worker.place : choose_place(worker, task);
  }
  const DomainId creator = places.domain_of(task.creator);
  if (worker.thrift.is_learning() && creator != worker.domain) return places.of(creator);
  return choose_place(worker, task);
}

[[gnu::noinline]] bool put_prioritised(Worker& worker, Task& task, bool may_run) noexcept {
  Team& team = *worker.team;
  if (may_run && !task.has(task_flag::detachable) && team.throttles &&
      team.prioritised.length() >= policy::limits::shared_queue) {
    return false;
  }
  team.prioritised.push(task);
  notify(team, {.domain = worker.domain, .task = &task, .queued = team.prioritised.length()});
  return true;
}

// Puts the task into its place. With `may_run`, answers false if the caller should run it instead.
bool put(Worker& worker, Task& task, bool may_run) noexcept {
  const Sample sample(worker);
  Team& team = *worker.team;
  if (task.priority > 0) [[unlikely]]
    return put_prioritised(worker, task, may_run);
  const PlaceId place = place_of(worker, task);
  const policy::Place& there = (*team.places)[place];
  const PlaceId queue = there.worker.valid() ? team.places->of(there.domain) : place;
  if (may_run && !task.has(task_flag::detachable) && is_full(worker, place, queue)) return false;
  const DomainId domain = there.domain.valid() ? there.domain : worker.domain;
  const bool at_home = task.home.valid() && task.home == domain;
  if (place == worker.place && worker.deque.push(task)) {
    const auto queued = static_cast<std::uint32_t>(worker.deque.size_at_most());
    notify(team, {.domain = domain, .task = &task, .queued = queued, .at_home = at_home});
    return true;
  }
  // Another worker's deque is its own: its domain's queue stands for it, and for a full one.
  SharedQueue& shared = *team.queues[queue.index()];
  shared.push(task);
  notify(team, {.domain = domain, .task = &task, .queued = shared.length(), .at_home = at_home});
  return true;
}

}  // namespace

void became_ready(Worker* worker, Task& task) noexcept {
  if (task.has(task_flag::exclusive) && !acquire_exclusive(task)) return;
  hand_over(worker, task);
}

void hand_over(Worker* worker, Task& task) noexcept {
  Team& team = *task.team;
  disorder::late(disorder::Point::ready);
  if (task.has(task_flag::waiter)) {
    const Task& waiting = *task.parent.load(std::memory_order_relaxed);
    Worker* const runner = waiting.runner.load(std::memory_order_relaxed);
    // The waiting thread may reuse the descriptor once it sees this; descriptors are type-stable.
    task.parts.store(1, std::memory_order_seq_cst);
    disorder::pause(disorder::Point::ready);
    if (disorder::omits(disorder::Fault::no_wake_of_waiter)) return;
    if (task.waiting.load(std::memory_order_seq_cst)) wake_waiter(team, runner);
    return;
  }
  if (worker != nullptr) {
    enqueue(*worker, task);
    return;
  }
  team.queues[0]->push(task);
  wake_somebody(team, &task);
}

void enqueue(Worker& worker, Task& task) noexcept { put(worker, task, false); }

void place_ready(Worker& worker, Task& task) noexcept {
  if (put(worker, task, true)) return;
  worker.counters->inlined.add(1);
  execute(worker, task);
}

}  // namespace lares::runtime
