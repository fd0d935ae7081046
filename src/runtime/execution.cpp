#include "runtime/execution.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>

#include "base/clock.hpp"
#include "runtime/deep_stack.hpp"
#include "runtime/dependences.hpp"
#include "runtime/exclusion.hpp"
#include "runtime/futex.hpp"
#include "runtime/record.hpp"

namespace lares::runtime {

namespace {

// More tasks than this in one shared queue, and their creator runs some itself.
constexpr std::uint32_t shared_queue_limit = 16384;
// Queued tasks that keep the others busy while their creator runs one at once. A flat producer
// feeds the whole team; deep in a recursion every worker makes its own.
std::int64_t own_queue_limit(const Worker& worker) noexcept {
  const auto threads = static_cast<std::int64_t>(worker.team->size());
  return worker.current->depth <= 1 ? 32 * threads : 8 + threads;
}
// How many ranges of a task decide where it goes.
constexpr std::uint32_t max_considered = 8;
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
    if (start_ == 0) return;
    worker_.counters->sampled_ticks.add(ticks() - start_);
    worker_.counters->samples.add(1);
  }

 private:
  Worker& worker_;
  std::uint64_t start_ = 0;
};

policy::View view_of(Worker& worker) noexcept {
  return {*worker.team->places, *worker.team, worker.id, worker.random};
}

// --- where the data is
// ----------------------------------------------------------------------------

// Tells the user once if the kernel does not say where memory is.
void note_refusal(const memory::Homes& homes) noexcept {
  static std::atomic<bool> noted{false};
  const int refusal = homes.refused();
  if (refusal == 0 || noted.exchange(true, std::memory_order_relaxed)) return;
  char sentence[sizeof(Note::text)];
  memory::describe_refusal(refusal, sentence);
  Engine::instance().note(sentence);
}

// Finds the homes of the task's data; lets the distribution decide on data that has none.
std::uint32_t find_homes(Worker& worker, Task& task, policy::DataHome* found) noexcept {
  memory::Homes& homes = *Engine::instance().homes();
  const std::uint32_t count = std::min(task.access_count, max_considered);
  Bytes largest;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Access& access = task.accesses[i];
    memory::FoundHome here = homes.find_with_core(access.address, access.bytes, access.mode);
    if (here.home.unplaced && policy::writes(access.mode)) {
      const policy::Block block =
          Engine::instance().extents()->block_of(access.address, access.bytes);
      const DomainId chosen = worker.distribution->on_place(view_of(worker), block);
      if (chosen.valid()) {
        homes.assume(access.address, access.bytes, chosen);
        here.home.home = chosen;
      }
    }
    found[i] = here.home;
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
  policy::DataHome found[max_considered];
  const std::uint32_t count = find_homes(worker, task, found);
  return worker.push->on_ready(view_of(worker), policy::ReadyTask{{found, count}});
}

// --- counting where tasks ran
// ---------------------------------------------------------------------

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

void count_start(Worker& worker, Task& task) noexcept {
  if (!task.home.valid()) {
    worker.counters->tasks[static_cast<std::size_t>(by_creator(worker, task))].add(1);
  } else {
    const auto kind = static_cast<std::size_t>(by_home(worker, task));
    worker.counters->data_tasks[kind].add(1);
    worker.counters->data_bytes[kind].add(task.data_bytes.count);
  }
  if (task.access_count == 0 || !worker.wants_data) return;
  memory::Homes& homes = *Engine::instance().homes();
  const std::uint32_t count = std::min(task.access_count, max_considered);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Access& access = task.accesses[i];
    homes.touched(access.address, access.bytes, access.mode, worker.domain, worker.core);
  }
}

// --- taking
// -----------------------------------------------------------------------------------------

// A task taken from a queue that does not check by itself. One that is not allowed here goes to the
// root place, where any worker that may run it finds it.
Task* admit(Worker& worker, Task* task) noexcept {
  if (task == nullptr || worker.constraint == nullptr || task->parent == worker.constraint ||
      descends_from(*task, *worker.constraint)) {
    return task;
  }
  worker.team->queues[0]->push(*task);
  notify(*worker.team, worker.domain);
  return nullptr;
}

Task* pop_own(Worker& worker) noexcept {
  Task* task = worker.deque.pop();
  if (task == nullptr || worker.constraint == nullptr || task->parent == worker.constraint ||
      descends_from(*task, *worker.constraint)) {
    return task;
  }
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

Task* visit(Worker& worker, PlaceId place) noexcept {
  Team& team = *worker.team;
  const policy::Place& there = (*team.places)[place];
  if (!there.worker.valid()) {
    const bool own = there.domain == worker.domain;
    Task* task = team.queues[place.index()]->take(worker.constraint, own);
    if (task != nullptr && !own && there.domain.valid()) count_steal(worker, there.domain);
    return task;
  }
  if (there.worker == worker.id) return nullptr;
  const std::int64_t min_depth =
      worker.constraint == nullptr ? -1 : static_cast<std::int64_t>(worker.constraint->depth);
  Task* task = team.workers[there.worker.index()]->deque.steal(min_depth);
  if (task != nullptr) count_steal(worker, there.domain);
  return admit(worker, task);
}

// --- the end of a task
// ------------------------------------------------------------------------------

void free_task(ThreadState& self, Task& task) noexcept {
  if (task.extra_memory != nullptr) {
    std::free(task.extra_memory);
    task.extra_memory = nullptr;
  }
  Task* parent = task.holds_parent ? task.parent : nullptr;
  TaskPool::release(self, &task);
  if (parent != nullptr) drop_holder(self, *parent, Task::reference);
}

// The child is complete; `still_needed` if its descriptor stays for children of its own.
void tell_parent(Worker* worker, ThreadState& self, Task& parent, bool still_needed) noexcept {
  const std::int64_t hold = still_needed ? Task::reference : 0;
  Worker* runner = parent.runner.load(std::memory_order_relaxed);
  if (worker != nullptr && runner == worker && !parent.has(task_flag::untied)) {
    --parent.local_children;  // we are the parent's runner: it waits below us on our stack
    if (hold != 0) parent.holders.fetch_add(hold, std::memory_order_relaxed);
    return;
  }
  Team* team = parent.team;
  const DomainId waiter = runner != nullptr ? runner->domain : DomainId{};
  // release: our writes before the count; acquire: if we free it, all others' before that.
  // seq_cst with the look at `waiting`: see wait_until in waiting.cpp.
  const std::int64_t left =
      parent.holders.fetch_add(hold - 1, std::memory_order_seq_cst) + hold - 1;
  if (left == 0) {
    free_task(self, parent);
    return;
  }
  if (parent.waiting.load(std::memory_order_seq_cst)) {
    if (waiter.valid()) {
      wake_domain(*team, waiter);
    } else {
      wake_team(*team);
    }
  }
}

void leave_group(Taskgroup& group, Team& team) noexcept {
  const DomainId waiter = group.owner.load(std::memory_order_relaxed)->domain;
  if (group.incomplete.fetch_sub(1, std::memory_order_seq_cst) == 1 &&
      group.waiting.load(std::memory_order_seq_cst)) {
    wake_domain(team, waiter);
  }
}

void release_exclusion(Worker* worker, Task& task) noexcept {
  Task* freed = release_exclusive(task);
  while (freed != nullptr) {
    Task* next = freed->next;
    // Only a worker of the freed task's own team may put it into that team's queues by policy.
    hand_over(worker != nullptr && worker->team == freed->team ? worker : nullptr, *freed);
    freed = next;
  }
}

}  // namespace

bool is_own_queue_full(Worker& worker) noexcept {
  if (!worker.team->throttles) return false;
  const std::int64_t limit = std::min(own_queue_limit(worker), Deque::capacity);
  // The bound that needs no look at the thieves' line comes first.
  return worker.deque.size_at_most() >= limit && worker.deque.refresh_size() >= limit;
}

bool is_dropped(const Task& task) noexcept {
  if (task.team->cancelled.load(std::memory_order_relaxed)) return true;
  return task.group != nullptr && task.group->is_cancelled();
}

void drop_holder(ThreadState& self, Task& task, std::int64_t amount) noexcept {
  if (task.holders.fetch_sub(amount, std::memory_order_acq_rel) == amount) free_task(self, task);
}

void count_child(Worker& worker, Task& task) noexcept {
  Task& parent = *task.parent;
  if (parent.has(task_flag::untied)) {
    parent.holders.fetch_add(1, std::memory_order_relaxed);
  } else {
    ++parent.local_children;
  }
  // An undeferred task ends before its creator goes on: its group need not count it.
  if (task.group != nullptr && !task.has(task_flag::undeferred)) {
    task.group->incomplete.fetch_add(1, std::memory_order_relaxed);
  }
  (void)worker;
}

void count_created(Worker& worker, Task& task) noexcept {
  task.flags |= task_flag::counted;
  Team& team = *worker.team;
  if (!team.tasks_seen.load(std::memory_order_relaxed)) {
    team.tasks_seen.store(true, std::memory_order_relaxed);
    team.deferred_seen.store(true, std::memory_order_relaxed);
  }
  // release: a barrier that counts this one also sees tasks_seen.
  worker.created.store(worker.created.load(std::memory_order_relaxed) + 1,
                       std::memory_order_release);
}

void became_ready(Worker* worker, Task& task) noexcept {
  if (task.has(task_flag::exclusive) && !acquire_exclusive(task)) return;
  hand_over(worker, task);
}

void hand_over(Worker* worker, Task& task) noexcept {
  Team& team = *task.team;
  if (task.has(task_flag::waiter)) {
    const DomainId domain = task.parent->runner.load(std::memory_order_relaxed)->domain;
    // The waiting thread may reuse the descriptor once it sees this; descriptors are type-stable.
    task.parts.store(1, std::memory_order_seq_cst);
    if (task.waiting.load(std::memory_order_seq_cst)) wake_domain(team, domain);
    return;
  }
  if (worker != nullptr) {
    enqueue(*worker, task);
    return;
  }
  team.queues[0]->push(task);
  wake_team(team);
}

namespace {

// True if the queue is full enough that the creator may as well run the task itself.
bool is_full(Worker& worker, PlaceId place, PlaceId queue) noexcept {
  if (stack_is_low(*worker.thread)) return false;
  if (place == worker.place) return is_own_queue_full(worker);
  return worker.team->throttles &&
         worker.team->queues[queue.index()]->length() >= shared_queue_limit;
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

// Puts the task into its place. With `may_run`, answers false if the caller should run it instead.
bool put(Worker& worker, Task& task, bool may_run) noexcept {
  const Sample sample(worker);
  Team& team = *worker.team;
  if (task.priority > 0) {
    team.prioritised.push(task);
    notify(team, worker.domain);
    return true;
  }
  const PlaceId place = place_of(worker, task);
  const policy::Place& there = (*team.places)[place];
  const PlaceId queue = there.worker.valid() ? team.places->of(there.domain) : place;
  if (may_run && !task.has(task_flag::detachable) && is_full(worker, place, queue)) return false;
  if (place != worker.place || !worker.deque.push(task)) {
    // Another worker's deque is its own: its domain's queue stands for it, and for a full one.
    team.queues[queue.index()]->push(task);
  }
  notify(team, there.domain.valid() ? there.domain : worker.domain);
  return true;
}

}  // namespace

void enqueue(Worker& worker, Task& task) noexcept { put(worker, task, false); }

void place_ready(Worker& worker, Task& task) noexcept {
  if (put(worker, task, true)) return;
  worker.counters->inlined.add(1);
  execute(worker, task);
}

Task* take_own(Worker& worker) noexcept {
  Task* task = pop_own(worker);
  if (task != nullptr) return task;
  SharedQueue& queue = *worker.team->queues[worker.team->places->of(worker.domain).index()];
  return queue.take(worker.constraint, false);
}

namespace {

// From the queues that are as near to this worker as to any other.
Task* take_shared(Worker& worker) noexcept {
  Team& team = *worker.team;
  // The root place also holds what constrained thieves had to put back, and the domain's takes what
  // does not fit into a full deque.
  if (Task* task = team.queues[0]->take(worker.constraint, true); task != nullptr) return task;
  return team.queues[team.places->of(worker.domain).index()]->take(worker.constraint, true);
}

}  // namespace

Task* find_work(Worker& worker) noexcept {
  if (Task* task = pop_own(worker); task != nullptr) return task;
  // Every queued task was counted, and set this first.
  if (!worker.team->tasks_seen.load(std::memory_order_relaxed)) return nullptr;
  if (worker.thrift.pauses()) return take_shared(worker);
  Team& team = *worker.team;
  if (team.prioritised.length() != 0) {
    if (Task* task = team.prioritised.take(worker.constraint); task != nullptr) return task;
  }
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
    if (Task* task = visit(worker, place); task != nullptr) return task;
  }
  return take_shared(worker);
}

namespace {

void offer_own(Worker& worker) noexcept {
  Team& team = *worker.team;
  Task* task = worker.deque.pop();
  if (task == nullptr) return;
  SharedQueue& queue = *team.queues[team.places->of(worker.domain).index()];
  for (; task != nullptr; task = worker.deque.pop()) queue.push(*task);
  wake_team(team);  // any sleeper may be the one that waits for one of them
}

}  // namespace

Task* find_awaited(Worker& worker) noexcept {
  if (worker.constraint == nullptr) return nullptr;
  offer_own(worker);
  Team& team = *worker.team;
  for (std::size_t i = 0; i < team.queues.size(); ++i) {
    if (team.queues[i] == nullptr) continue;
    Task* task = team.queues[i]->take(worker.constraint, true);
    if (task == nullptr) continue;
    const DomainId from = (*team.places)[PlaceId{i}].domain;
    if (from.valid() && from != worker.domain) count_steal(worker, from);
    return task;
  }
  return nullptr;
}

void begin_body(Worker& worker, Task& task) noexcept {
  task.runner.store(&worker, std::memory_order_relaxed);
  task.resumes = worker.current;
  task.saved_constraint = worker.constraint;
  worker.current = &task;
  worker.constraint = &task;  // an untied task's part, too: it cannot leave the stack it waits on
  count_start(worker, task);
  record::begun(worker, task);
}

void end_body(Worker& worker, Task& task) noexcept {
  record::ended(worker, task);
  worker.current = task.resumes;
  worker.constraint = task.saved_constraint;
}

namespace {
void learn_duration(Worker& worker, bool foreign, std::uint64_t duration) noexcept {
  worker.thrift.sample(duration);
  if (foreign) worker.thrift.learn(duration);
}

// The body has ended, but an event is to come: whoever fulfils it completes the task, maybe while
// this worker runs the task's children. So they count in `holders` from here on.
void share_children(Task& task) noexcept {
  task.runner.store(nullptr, std::memory_order_relaxed);  // only this worker depends on seeing it
  // relaxed: the exchange of detach_state that follows publishes it.
  task.holders.fetch_add(task.local_children, std::memory_order_relaxed);
  task.local_children = 0;
}

// True if the event of a detachable task has not come yet: fulfil() completes the task then.
bool waits_for_event(Task& task) noexcept {
  if (!task.has(task_flag::detachable)) return false;
  share_children(task);
  return task.detach_state.exchange(detach_state::body_ended, std::memory_order_acq_rel) !=
         detach_state::fulfilled;
}
}  // namespace

void execute(Worker& worker, Task& task) noexcept {
  // Kept here, not in the task: an untied task's next part may start elsewhere before we return.
  Task* const previous = worker.current;
  Task* const constraint = worker.constraint;
  const bool foreign = task.creator != worker.id;
  const bool timed = worker.thrift.wants_sample() || foreign;
  const std::uint64_t start = timed ? ticks() : 0;
  begin_body(worker, task);
  if (task.has(task_flag::must_run) || !is_dropped(task)) run_body(worker, task);
  record::ended(worker, task);
  if (timed) learn_duration(worker, foreign, ticks() - start);
  worker.current = previous;
  worker.constraint = constraint;
  if (task.has(task_flag::untied) && task.parts.fetch_sub(1, std::memory_order_acq_rel) != 1) {
    return;  // another part is queued or running: the last one completes the task
  }
  if (waits_for_event(task)) return;
  complete(&worker, task);
}

void complete(Worker* worker, Task& task) noexcept {
  ThreadState& self = worker != nullptr ? *worker->thread : *this_thread();
  Team& team = *task.team;
  if (task.table != nullptr) drop_table(self, task);
  if (task.exclusives != nullptr) release_exclusion(worker, task);
  if (task.has(task_flag::depends)) release_successors(worker, task);
  if (task.group != nullptr && !task.has(task_flag::undeferred)) leave_group(*task.group, team);
  const bool counted = task.has(task_flag::counted);
  Task& parent = *task.parent;

  // acquire: what children on other threads did to the descriptor comes before its reuse.
  const std::int64_t holders = task.holders.load(std::memory_order_acquire);
  const std::int64_t children = task.local_children;
  if (children == 0 && holders == Task::alive) {
    task.holds_parent = false;
    tell_parent(worker, self, parent, false);
    free_task(self, task);
  } else {
    const bool has_children = children != 0 || holders != Task::alive + Task::tabled;
    task.holds_parent = has_children;
    task.runner.store(nullptr, std::memory_order_relaxed);
    tell_parent(worker, self, parent, has_children);
    const std::int64_t change = children - Task::alive;
    if (task.holders.fetch_add(change, std::memory_order_acq_rel) + change == 0) {
      free_task(self, task);
    }
  }
  if (!counted) return;
  // Last, because the barrier may open now. release: a barrier that counts this one sees all of it.
  if (worker != nullptr) {
    worker->finished.store(worker->finished.load(std::memory_order_relaxed) + 1,
                           std::memory_order_release);
  } else {
    team.foreign_finished.fetch_add(1, std::memory_order_release);
    wake_team(team);
  }
}

// --- waking
// -----------------------------------------------------------------------------------------

void notify(Team& team, DomainId domain) noexcept {
  // Pairs with heavy_fence in waiting.cpp: either we see the sleeper or it sees the task.
  light_fence();
  const std::uint32_t sleepers = team.total_sleepers.load(std::memory_order_relaxed);
  if (sleepers == 0) return;
  if (team.waking.load(std::memory_order_relaxed) != 0) return;
  // Awake workers already fill the cores: one more would only take turns with them.
  if (team.size() - std::min<std::size_t>(sleepers, team.size()) >= team.cores) return;
  for (const DomainId candidate : team.places->nearest_first(domain)) {
    SleepingPlace& place = team.sleeping[candidate.index()];
    if (place.sleepers.load(std::memory_order_relaxed) == 0) continue;
    team.waking.store(1, std::memory_order_relaxed);
    place.word.fetch_add(1, std::memory_order_release);
    if (futex_wake(place.word, 1) == 0) team.waking.store(0, std::memory_order_relaxed);
    return;
  }
}

void wake_domain(Team& team, DomainId domain) noexcept {
  SleepingPlace& place = team.sleeping[domain.index()];
  place.word.fetch_add(1, std::memory_order_release);
  if (place.sleepers.load(std::memory_order_seq_cst) != 0) futex_wake(place.word, INT_MAX);
}

void wake_team(Team& team) noexcept {
  for (std::size_t i = 0; i < team.sleeping.size(); ++i) wake_domain(team, DomainId{i});
}

}  // namespace lares::runtime
