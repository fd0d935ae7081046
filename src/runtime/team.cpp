#include "runtime/team.hpp"

#include <sched.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <new>

#include "base/clock.hpp"
#include "base/disorder.hpp"
#include "runtime/dependences.hpp"
#include "runtime/engine.hpp"
#include "runtime/futex.hpp"
#include "runtime/record.hpp"
#include "runtime/series.hpp"
#include "runtime/stall.hpp"
#include "runtime/waiting.hpp"
#include "runtime/watch.hpp"

namespace lares::runtime {

std::atomic<std::int32_t> Team::in_teams{0};

std::uint32_t Team::length(PlaceId place) const noexcept {
  const policy::Place& there = (*places)[place];
  if (there.worker.valid()) return workers[there.worker.index()]->deque.size();
  return queues[place.index()]->length();
}

bool Team::quiet() const noexcept {
  std::uint64_t finished = foreign_finished.load(std::memory_order_acquire);
  for (const auto& worker : members()) finished += worker->finished.load(std::memory_order_acquire);
  std::uint64_t created = 0;
  for (const auto& worker : members()) created += worker->created.load(std::memory_order_acquire);
  return created == finished;
}

void Team::resize(std::size_t team_size) noexcept {
  const std::lock_guard lock(stall::places_lock());
  places_ready.store(0,
                     std::memory_order_relaxed);  // who looks at the team sees its old size no more
  // relaxed: no other thread is in the team, and those to come are started after this.
  for (const auto& worker : members()) {
    worker->created.store(0, std::memory_order_relaxed);
    worker->finished.store(0, std::memory_order_relaxed);
  }
  foreign_finished.store(0, std::memory_order_relaxed);
  size_ = team_size;
  core_of.resize(team_size);
  places_stale.store(true, std::memory_order_relaxed);
}

namespace {

constexpr std::size_t hint_count = 4096;
RegionHint g_hints[hint_count];
// Any thread: how many taskless runs make a region trusted; grows when trust was misplaced.
std::atomic<std::uint32_t> g_trusted_after{RegionHint::trusted_after};

// The core that holds all hardware threads this thread may run on, or invalid.
CoreId bound_core(const machine::Machine& machine) noexcept {
  std::vector<unsigned long> mask(1024 / (8 * sizeof(unsigned long)));
  auto* set = reinterpret_cast<cpu_set_t*>(mask.data());
  std::size_t bytes = mask.size() * sizeof(unsigned long);
  while (sched_getaffinity(0, bytes, set) != 0) {
    if (bytes > 65536) return CoreId{};
    mask.resize(mask.size() * 2);  // the kernel knows more processors than fit
    set = reinterpret_cast<cpu_set_t*>(mask.data());
    bytes = mask.size() * sizeof(unsigned long);
  }
  CoreId found;
  for (std::size_t cpu = 0; cpu < bytes * 8; ++cpu) {
    if (!CPU_ISSET_S(cpu, bytes, set)) continue;
    const CoreId core = machine.core_of(OsCpu{cpu});
    if (!core.valid() || (found.valid() && core != found)) return CoreId{};
    found = core;
  }
  return found;
}

// Runtimes bind threads anew when a team's size changes. That the thread is somewhere else costs a
// few nanoseconds to see; where it may run, a system call.
bool was_bound_anew(const ThreadState& thread, const machine::Machine& machine) noexcept {
  if (!thread.core_followed || !thread.core.valid()) return false;
  const int cpu = sched_getcpu();
  const auto& cpus = machine.cores[thread.core.index()].cpus;
  return cpu >= 0 && std::find(cpus.begin(), cpus.end(), OsCpu{cpu}) == cpus.end();
}

CoreId core_of_thread(ThreadState& thread) noexcept {
  const machine::Machine& machine = Engine::instance().machine();
  if (!thread.core_known || was_bound_anew(thread, machine)) {
    thread.core = bound_core(machine);
    thread.core_known = true;
    thread.core_followed = true;
  }
  return thread.core;
}

std::unique_ptr<Worker> make_worker(Team& team, WorkerId id) {
  auto worker = std::make_unique<Worker>();
  const policy::Choice& choice = Engine::instance().choice();
  worker->team = &team;
  worker->host = team.host;
  worker->id = id;
  worker->random = Random(static_cast<std::uint64_t>(id.value()) + 1);
  worker->distribution = choice.distribution->make();
  worker->push = choice.push->make();
  worker->steal = choice.steal->make();
  worker->restraint = decide::Restraint(worker->steal->patience(), ticks_per_microsecond());
  worker->away_at_once = worker->steal->away_at_once();
  worker->may_deviate = choice.preset == "auto";
  worker->wants_data = Engine::instance().wants_data();
  worker->keeps_dataless = worker->push->keeps_dataless_tasks();
  worker->deals = worker->push->deals();
  return worker;
}

std::size_t count_cpus(const machine::Machine& machine) {
  std::size_t all = 0;
  for (const machine::Core& core : machine.cores) all += core.cpus.size();
  return all;
}

// Hardware threads that the team's threads can use at the same time.
std::size_t count_cores(const Team& team, const machine::Machine& machine) {
  std::vector<bool> used(machine.cores.size());
  std::size_t bound = 0;
  std::size_t free = 0;
  for (const CoreId core : team.core_of) {
    if (!core.valid()) {
      ++free;
    } else if (!used[core.index()]) {
      used[core.index()] = true;
      bound += machine.cores[core.index()].cpus.size();
    }
  }
  return std::clamp<std::size_t>(bound + free, 1, std::min(count_cpus(machine), team.size()));
}

void build_places(Team& team) {
  const std::lock_guard lock(stall::places_lock());
  const Engine& engine = Engine::instance();
  team.places = std::make_unique<policy::Places>(engine.machine(), team.core_of);
  team.queues.clear();
  for (std::size_t i = 0; i < team.places->size(); ++i) {
    const bool shared = !(*team.places)[PlaceId{i}].worker.valid();
    team.queues.push_back(shared ? std::make_unique<SharedQueue>() : nullptr);
  }
  if (team.sleepers == nullptr) {  // once: late wakers of an earlier region may still look here
    team.looking = std::vector<Looking>(team.places->domain_count());
    team.fed = std::vector<std::atomic<bool>>(team.places->domain_count());
    team.away = std::vector<decide::Away>(team.places->domain_count());
    team.sleepers = std::make_unique<Sleepers>(team.places->domain_count(), team.capacity());
  }
  team.cores = count_cores(team, engine.machine());
  team.crowded = team.size() > team.cores;
  team.most_in_teams = static_cast<std::int32_t>(count_cpus(engine.machine()));
  const auto crowd = static_cast<std::uint32_t>(team.size() / team.cores);
  team.throttles = engine.throttles();
  team.spin_rounds = engine.spin_rounds(team.crowded);
  team.spin_rounds = disorder::limit(disorder::Limit::spin_rounds, team.spin_rounds);
  team.longest_spin = engine.longest_spin();
  // The more threads share a core, the sooner a fruitless one must get out of the others' way.
  if (team.crowded) team.spin_rounds = std::max<std::uint32_t>(1, team.spin_rounds / crowd);
  for (const auto& worker : team.members()) {
    worker->place = team.places->of(worker->id);
    worker->domain = team.places->domain_of(worker->id);
    worker->core = team.core_of[worker->id.index()];
    worker->victim_storage.resize(worker->steal->max_victims(*team.places));
    worker->deals_series = worker->wants_data && worker->push->uses_data() &&
                           team.places->domains_with_workers().size() > 1;
    learn_from_thrift(*worker);
    worker->dealt_storage.resize(team.places->domain_count());
  }
}

// All threads of a new team meet once: the places need to know where each of them runs.
void meet(Team& team, WorkerId id, ThreadState& thread) {
  if (team.workers[id.index()] == nullptr) team.workers[id.index()] = make_worker(team, id);
  team.core_of[id.index()] = core_of_thread(thread);
  const auto all = static_cast<std::uint32_t>(team.size());
  disorder::late(disorder::Point::meeting);
  // acq_rel: the last one sees what each wrote into its slot.
  if (team.met.fetch_add(1, std::memory_order_acq_rel) + 1 == all) {
    build_places(team);
    team.places_stale.store(false, std::memory_order_relaxed);
    team.places_ready.store(1, std::memory_order_release);
    futex_wake(team.places_ready, all);
    return;
  }
  while (team.places_ready.load(std::memory_order_acquire) == 0) {
    futex_wait(team.places_ready, 0, Nanoseconds{1'000'000'000});
  }
}

void start_implicit_task(Worker& worker, ThreadState& thread) noexcept {
  Task& task = worker.implicit_task;
  task.parent.store(nullptr, std::memory_order_relaxed);
  task.team = worker.team;
  task.depth.store(0, std::memory_order_relaxed);
  task.flags = task_flag::implicit;
  task.runner.store(&worker, std::memory_order_relaxed);
  task.group = nullptr;
  task.open_group = nullptr;
  task.local_children = 0;
  task.front_end = nullptr;
  task.holders.store(Task::alive, std::memory_order_relaxed);
  worker.thread = &thread;
  worker.counters = thread.counters;
  worker.works_for = Engine::are_homes_asked() ? thread.whereabouts : nullptr;
  worker.current = &task;
  worker.constraint = &task;
  worker.loop.segment = nullptr;
  worker.loop.sampling.restart();
  worker.loop_wait_weight = 0;
  worker.in_own_loop = false;
  worker.began_own_loop = false;
  worker.in_doacross = false;
  worker.made_series = true;  // what another one began in an earlier region is over
}

// Teams of so many sizes are kept as they are; beyond, one serves several sizes: a program that
// asks for a different number of threads each time must not gather a team for every number.
constexpr std::size_t most_sizes = 4;

template <class Fits>
Team* take_cached(ThreadState& master, Fits fits) noexcept {
  for (Team** link = &master.cached_team; *link != nullptr; link = &(*link)->next_cached) {
    Team* team = *link;
    if (!fits(*team)) continue;
    *link = team->next_cached;
    return team;
  }
  return nullptr;
}

Team* make_team(std::size_t size, std::size_t capacity, const void* host) noexcept {
  void* memory = std::aligned_alloc(alignof(Team), sizeof(Team));
  if (memory == nullptr) std::abort();
  Team* team = new (memory) Team(size, capacity);
  team->host = host;
  stall::know(*team);
  return team;
}

// One of the right size, or one that is large enough, or a new one.
Team* take_or_make(ThreadState& master, std::size_t size, const void* host) noexcept {
  std::size_t of_host = 0;
  Team* team = take_cached(master, [&](const Team& cached) {
    of_host += cached.host == host ? 1 : 0;
    return cached.host == host && cached.size() == size;
  });
  if (team != nullptr) return team;
  if (of_host < disorder::limit(disorder::Limit::team_sizes, most_sizes))
    return make_team(size, size, host);
  team = take_cached(
      master, [&](const Team& cached) { return cached.host == host && cached.capacity() >= size; });
  // Doubled capacities: few of them are enough for any sequence of sizes.
  if (team == nullptr) return make_team(size, std::bit_ceil(size), host);
  team->resize(size);
  return team;
}

void note_region(CountersFile* counters, std::size_t size) noexcept {
  if (counters == nullptr) return;
  // The estimate of regions and the largest team: racing masters may lose a count, never more.
  counters->regions.store(counters->regions.load(std::memory_order_relaxed) + 1,
                          std::memory_order_relaxed);
  if (size > counters->max_threads.load(std::memory_order_relaxed)) {
    counters->max_threads.store(static_cast<std::uint32_t>(size), std::memory_order_relaxed);
  }
}

// The first of the masters that race says when the first region started.
void note_start(CountersFile* counters) noexcept {
  if (counters == nullptr || counters->start_ns.load(std::memory_order_relaxed) != 0) return;
  std::int64_t none = 0;
  // relaxed: the reader is another process that looks after this one has ended.
  if (counters->start_ns.compare_exchange_strong(none, now().count, std::memory_order_relaxed)) {
    counters->start_ticks.store(ticks(), std::memory_order_relaxed);
  }
}

// Keeps the end of the last region up to date without reading the slow clock for every region.
void note_end(CountersFile* counters) noexcept {
  if (counters == nullptr) return;
  constexpr std::uint64_t stale = 1U << 20U;
  const std::uint64_t at = ticks();
  if (at - counters->end_ticks.load(std::memory_order_relaxed) < stale) return;
  counters->end_ticks.store(at, std::memory_order_relaxed);
  counters->end_ns.store(now().count, std::memory_order_relaxed);
}

}  // namespace

std::size_t distance_rank(const Worker& worker, DomainId to) noexcept {
  if (!to.valid()) return 0;
  const std::span<const DomainId> nearest = worker.team->places->nearest_first(worker.domain);
  const auto rank = std::find(nearest.begin(), nearest.end(), to) - nearest.begin();
  return std::min(static_cast<std::size_t>(rank), distance_ranks - 1);
}

bool is_trusted_taskless(const RegionHint& hint) noexcept {
  // A recorded program shows when each of its regions was, so that its serial parts are known; who
  // watches wants to see each of them.
  return !Engine::records() && watch::watcher() == nullptr &&
         hint.taskless_runs.load(std::memory_order_relaxed) >=
             g_trusted_after.load(std::memory_order_relaxed);
}

bool has_run_once_taskless(const RegionHint& hint) noexcept {
  return hint.taskless_runs.load(std::memory_order_relaxed) == 1;
}

void trust(RegionHint& hint) noexcept {
  hint.taskless_runs.store(g_trusted_after.load(std::memory_order_relaxed),
                           std::memory_order_relaxed);
}

bool has_tasks(const Team& team) noexcept {
  return team.deferred_seen.load(std::memory_order_relaxed) ||
         team.inlined_seen.load(std::memory_order_relaxed) ||
         team.loops.first.load(std::memory_order_relaxed) != nullptr;
}

void distrust_hints() noexcept {
  constexpr std::uint32_t never = 1U << 30U;
  const std::uint32_t before = g_trusted_after.load(std::memory_order_relaxed);
  g_trusted_after.store(before >= never / 16 ? never : before * 16, std::memory_order_relaxed);
  for (RegionHint& hint : g_hints) hint.taskless_runs.store(0, std::memory_order_relaxed);
  tell_region_news();
}

RegionHint* hint_for(const void* code) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(code);
  RegionHint& hint = g_hints[(address * 0x9E3779B97F4A7C15ULL) >> 52U];
  static_assert(hint_count == 1U << 12U);
  if (hint.code.load(std::memory_order_relaxed) != address) {
    hint.code.store(address, std::memory_order_relaxed);
    hint.taskless_runs.store(0, std::memory_order_relaxed);
    hint.taskloops_overlap.store(false, std::memory_order_relaxed);
    hint.several_creators.store(false, std::memory_order_relaxed);
    hint.has_had_team.store(false, std::memory_order_relaxed);
    hint.has_barriers.store(false, std::memory_order_relaxed);
    hint.inner_threads.store(1, std::memory_order_relaxed);
    tell_region_news();
  }
  return &hint;
}

Team* acquire_team(ThreadState& master, std::size_t size, const void* host) noexcept {
  Team* team = take_or_make(master, size, host);
  if (team->places_stale.load(std::memory_order_relaxed)) {
    team->places_ready.store(0, std::memory_order_relaxed);
    team->met.store(0, std::memory_order_relaxed);
  }
  record::make_team(*team, master);
  CountersFile* counters = Engine::instance().counters();
  note_start(counters);
  note_region(counters, size);
  Team::in_teams.fetch_add(static_cast<std::int32_t>(size) - 1, std::memory_order_relaxed);
  return team;
}

void release_team(ThreadState& master, Team* team) noexcept {
  Team::in_teams.fetch_sub(static_cast<std::int32_t>(team->size()) - 1, std::memory_order_relaxed);
  if (team->hint != nullptr) {
    // A region that is left to the stock runtime has no loops of ours.
    const bool had_tasks = has_tasks(*team);
    const std::uint32_t runs = team->hint->taskless_runs.load(std::memory_order_relaxed);
    if (had_tasks) {
      if (runs != 0) team->hint->taskless_runs.store(0, std::memory_order_relaxed);
    } else {
      team->hint->taskless_runs.store(runs + 1, std::memory_order_relaxed);
    }
  }
  team->inlined_seen.store(false, std::memory_order_relaxed);
  forget_creators(*team);
  if (team->deferred_seen.load(std::memory_order_relaxed) ||
      team->cancelled.load(std::memory_order_relaxed)) {
    team->tasks_seen.store(false, std::memory_order_relaxed);
    team->deferred_seen.store(false, std::memory_order_relaxed);
    team->cancelled.store(false, std::memory_order_relaxed);
    team->arrived.store(0, std::memory_order_relaxed);
  }
  note_end(Engine::instance().counters());
  if (team->alone) return;  // half of it is the parent's
  end_loops(*team);
  team->next_cached = master.cached_team;
  master.cached_team = team;
}

Worker& enter(Team& team, WorkerId id) noexcept {
  ThreadState& thread = *this_thread();
  disorder::pause(disorder::Point::entering);
  if (team.places_ready.load(std::memory_order_acquire) == 0) meet(team, id, thread);
  Worker& worker = *team.workers[id.index()];
  if (core_of_thread(thread) != worker.core) {
    team.places_stale.store(true, std::memory_order_relaxed);
  }
  start_implicit_task(worker, thread);
  worker.outer = this_worker();
  thread.worker = &worker;
  set_this_worker(&worker);
  worker.waits_for.store(static_cast<std::uint32_t>(Wait::none), std::memory_order_relaxed);
  record::enter_team(worker);
  watch::enter_team(worker);
  return worker;
}

void leave(Worker& worker) noexcept {
  Team& team = *worker.team;
  record::waits(worker, RecordWait::region_end);
  if (team.size() > 1 && !team.cancelled.load(std::memory_order_relaxed)) {
    meet_at_barrier(worker, Wait::region_end);
  }
  disorder::pause(disorder::Point::leaving);
  drain(worker, Wait::region_end);
  record::leaves_team(worker);
  worker.says_group_data = false;
  while (Task* const spare = worker.spares) {
    worker.spares = spare->next;
    discard_unsubmitted(worker, *spare);
  }
  if (worker.implicit_task.table != nullptr) drop_table(*worker.thread, worker.implicit_task);
  worker.thread->pool.give_back_all();  // the next region may be far away, and its producer another
  worker.waits_for.store(static_cast<std::uint32_t>(Wait::outside), std::memory_order_relaxed);
  worker.thread->worker = worker.outer;
  set_this_worker(worker.outer);
}

}  // namespace lares::runtime
