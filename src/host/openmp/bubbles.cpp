#include "host/openmp/bubbles.hpp"

#include <unistd.h>

#include <algorithm>
#include <limits>
#include <mutex>

#include "base/clock.hpp"
#include "host/openmp/thread_moves.hpp"
#include "runtime/counters.hpp"
#include "runtime/engine.hpp"
#include "runtime/futex.hpp"
#include "runtime/process_lock.hpp"
#include "runtime/spinlock.hpp"
#include "runtime/thread_state.hpp"

namespace lares::omp::bubbles {

namespace {

using policy::EntityId;
using policy::RunQueueId;

struct NextTeamData {
  Data data;
  std::size_t chunk;
};

constexpr double unknown_load = policy::Entity{}.load;

/// Written when the library is loaded; what it holds is under g_bubbles_lock.
struct State {
  State(const machine::Machine& of, const policy::BubbleSchedulerEntry& entry)
      : machine(of), queues(of), forest(queues), scheduler(entry.make()) {}

  const machine::Machine& machine;
  const policy::RunQueues queues;  // constant
  policy::Forest forest;
  std::unique_ptr<policy::BubbleScheduler> scheduler;
  std::vector<Member*> members;  // by entity; null: a bubble, or nobody
  DataCalls calls{};             // of liblares; null until the program uses it
  std::vector<NextTeamData> next_team;
};
State* g_state = nullptr;  // lives as long as the process
LARES_PROCESS_LOCK(g_bubbles_lock);

/// What the calling thread has said of its data where it was in no team: its next team's master
/// has it. Of the thread; ends with it.
struct Outside {
  std::vector<Data> data;
};
pthread_key_t g_outside_key;
pthread_once_t g_outside_once = PTHREAD_ONCE_INIT;

Outside* outside_of_this_thread(bool make) noexcept {
  pthread_once(&g_outside_once, [] {
    pthread_key_create(&g_outside_key, [](void* data) { delete static_cast<Outside*>(data); });
  });
  auto* outside = static_cast<Outside*>(pthread_getspecific(g_outside_key));
  if (outside == nullptr && make) {
    outside = new Outside;
    pthread_setspecific(g_outside_key, outside);
  }
  return outside;
}

// --- who can be told of by the scheduler. All under the lock.

/// nullptr for a bubble.
Member* member_of(EntityId entity) noexcept {
  return entity.index() < g_state->members.size() ? g_state->members[entity.index()] : nullptr;
}

void enter_member(Member& member) {
  const std::size_t index = member.entity.index();
  if (g_state->members.size() <= index) g_state->members.resize(index + 1, nullptr);
  g_state->members[index] = &member;
}

/// Binds another thread, unless it is about to bind itself: it then finds its new place.
void bind_other(Member& member, const ProcessorMask& mask) noexcept {
  if (member.thread == 0 || !member.allowed->contains(mask)) return;
  member.moving.store(true, std::memory_order_seq_cst);
  if (!member.still.load(std::memory_order_seq_cst)) mask.apply_to(member.thread);
  member.moving.store(false, std::memory_order_release);  // release: the processors are set
}

runtime::CounterSlot& counters() noexcept { return *runtime::this_thread()->counters; }

/// Answers the data that shall follow, for when the lock is free. `count`: of threads that move. A
/// steal is for once: the thread's next team begins where it would have without.
std::vector<Data> carry_out_moves(runtime::Counter& count) noexcept {
  std::vector<Data> follow;
  for (const policy::ThreadMove& move : g_state->forest.take_moves()) {
    Member* const member = member_of(move.thread);
    if (member == nullptr) continue;
    const policy::RunQueue& queue = g_state->queues[move.to];
    member->wanted.store(move.to.value(), std::memory_order_seq_cst);
    count.add(1);
    if (member != t_member) bind_other(*member, mask_of(g_state->machine, queue.cores));
    if (member->thread != 0) note_thread_move(member->thread, queue.cores);
    if (!move.with_data) continue;
    follow.insert(follow.end(), member->data.begin(), member->data.end());
    const std::uint64_t bytes = g_state->forest.bytes_of(move.thread);
    g_state->forest.detach(move.thread);
    g_state->forest.attach(move.thread, queue.domain, bytes);
  }
  return follow;
}

/// Whether threads are where an idle core has taken them, away from where their team was given
/// cores: then what they name from now on follows them, as what they had named would have.
void note_thieves() noexcept {
  for (const EntityId outermost : g_state->forest.outermost()) {
    for (const EntityId thread : g_state->forest.threads_of(outermost)) {
      Member* const member = member_of(thread);
      if (member == nullptr) continue;
      const DomainId given = g_state->queues[member->given].domain;
      const DomainId here = g_state->queues[g_state->forest.where(thread)].domain;
      member->brings_data = given.valid() && here.valid() && given != here;
    }
  }
}

void let_follow(const std::vector<Data>& data, const DataCalls& calls) noexcept {
  if (calls.follow == nullptr) return;
  if (!data.empty()) counters().bubble_data.add(data.size());
  bool refused = false;
  for (const Data& each : data) {
    refused |= calls.follow(reinterpret_cast<void*>(each.begin), each.bytes, 0, 0) != 0;
  }
  if (refused) {
    runtime::Engine::instance().note(
        "data of threads that moved stays where it is: the kernel does not watch it");
  }
}

// --- where data is

/// Bytes by domain, by some of the pages.
std::vector<std::uint64_t> locate(const Data& data, const DataCalls& calls, std::size_t domains) {
  constexpr std::size_t most_samples = 64;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t pages = (data.bytes + page - 1) / page;
  const std::size_t samples = std::min(pages, most_samples);
  std::vector<std::uint64_t> found(domains, 0);
  std::vector<std::uint64_t> sum(domains, 0);
  for (std::size_t i = 0; i < samples; ++i) {
    const std::size_t at = i * pages / samples * page;
    const std::size_t bytes = std::min(page, data.bytes - at);
    std::fill(found.begin(), found.end(), 0);
    std::uint64_t absent = 0;
    std::uint64_t unknown = 0;
    const auto* memory = reinterpret_cast<const char*>(data.begin) + at;
    if (calls.homes(memory, bytes, found.data(), domains, &absent, &unknown) != 0) continue;
    for (std::size_t d = 0; d < domains; ++d) {
      if (found[d] != 0) sum[d] += data.bytes / samples;
    }
  }
  return sum;
}

/// By range, bytes by domain.
using Located = std::vector<std::vector<std::uint64_t>>;

/// Tells the forest where some data of `member` is.
void attach(const Member& member, const Located& located) {
  for (const auto& by_domain : located) {
    for (std::size_t d = 0; d < by_domain.size(); ++d) {
      if (by_domain[d] != 0) g_state->forest.attach(member.entity, DomainId{d}, by_domain[d]);
    }
  }
}

/// The same for all of its data. What was told before is forgotten.
void attach_anew(const Member& member, const Located& located) {
  g_state->forest.detach(member.entity);
  attach(member, located);
}

// Asks the kernel: not under the lock.
Located locate_all(const std::vector<Data>& data, const DataCalls& calls) {
  Located located;
  if (calls.homes == nullptr) return located;
  located.reserve(data.size());
  for (const Data& each : data) {
    located.push_back(locate(each, calls, g_state->queues.domain_count()));
  }
  return located;
}

struct Known {
  std::vector<Data> data;
  DataCalls calls;
};
Known data_of(const Member& member) {
  const std::lock_guard lock(g_bubbles_lock);
  return {member.data, g_state->calls};
}

/// Threads of a team that have not opened a team yet will most likely open one as large as their
/// neighbour's: who opens the first does not need all of the machine.
void expect_as_much(EntityId bubble, std::size_t size) noexcept {
  const EntityId around = g_state->forest[bubble].parent;
  if (!around.valid()) return;
  for (const EntityId thread : g_state->forest[around].members) {
    const Member* const member = member_of(thread);
    const policy::Entity& entity = g_state->forest[thread];
    if (entity.is_bubble || member == nullptr || entity.load != unknown_load) continue;
    g_state->forest.expect_load(thread, static_cast<double>(size));
  }
}

/// The member and its teammates, no other team: those may be about to say something else. Under the
/// lock. The moves are for carry_out_moves().
void place_anew(Member& member) noexcept {
  g_state->scheduler->on_shake(g_state->forest, g_state->forest[member.entity].parent);
  member.shakes = false;
}

// --- idle cores. Under the lock.

/// By core, the threads that have something to do and may run there.
std::vector<std::size_t> busy_threads() {
  std::vector<std::size_t> busy(g_state->machine.cores.size(), 0);
  for (const EntityId outermost : g_state->forest.outermost()) {
    for (const EntityId thread : g_state->forest.threads_of(outermost)) {
      if (g_state->forest[thread].load <= 0) continue;
      const policy::RunQueue& queue = g_state->queues[g_state->forest.where(thread)];
      for (const CoreId core : queue.cores) ++busy[core.index()];
    }
  }
  return busy;
}

/// Cores without a busy thread, if others share one; else none.
std::vector<CoreId> idle_cores() {
  const std::vector<std::size_t> busy = busy_threads();
  std::vector<CoreId> idle;
  bool crowded = false;
  for (std::size_t core = 0; core < busy.size(); ++core) {
    if (!g_state->queues.of(CoreId{core}).valid()) continue;
    if (busy[core] == 0) idle.emplace_back(core);
    crowded = crowded || busy[core] > 1;
  }
  if (!crowded) idle.clear();
  return idle;
}

/// For so long a thread has nothing to do before its core counts as idle: some hundred times what
/// moving a thread takes.
constexpr Nanoseconds least_idleness{1'000'000};

std::vector<Data> fill_idle_cores() noexcept {
  const std::vector<CoreId> idle = idle_cores();
  if (idle.empty()) return {};
  g_state->scheduler->on_idle(g_state->forest, idle);
  std::vector<Data> follow = carry_out_moves(counters().bubble_steals);
  note_thieves();
  return follow;
}

}  // namespace

// --- the process

void set_up(const machine::Machine& machine, const char* name) noexcept {
  if (name == nullptr) return;
  const policy::BubbleSchedulerEntry* entry = policy::find_bubble_scheduler(name);
  if (entry == nullptr) return;
  delete g_state;  // of an earlier machine, which tests have
  g_state = new State(machine, *entry);
  g_state->scheduler->on_start(g_state->forest);
  g_on = true;
}

void end_after_fork() noexcept {
  g_on = false;
  g_crowded.store(false, std::memory_order_relaxed);
  t_member = nullptr;
  t_team = nullptr;
}

std::span<const CoreId> cores_of(int place) noexcept {
  return g_state->queues[RunQueueId{place}].cores;
}

// --- the calling thread

void HoldStill::hold() noexcept {
  held_before_ = member_->still.exchange(true, std::memory_order_seq_cst);
  runtime::spin_until([this] { return !member_->moving.load(std::memory_order_seq_cst); });
}

void let_be() noexcept {
  Member* const member = t_member;
  if (member == nullptr) return;
  const std::lock_guard lock(g_bubbles_lock);
  member->thread = 0;
}

// --- teams

// What the master has said is asked for here: another thread may be the first in the region.
Team::Team() noexcept
    : master_(on() ? t_member : nullptr), outer_team_(master_ != nullptr ? t_team : nullptr) {
  if (!on() || master_ != nullptr) return;
  if (const Outside* said = outside_of_this_thread(false); said != nullptr)
    said_before_ = said->data;
}

void Team::choose(std::size_t size, const ProcessorMask& allowed, Memory& memory) noexcept {
  for (std::size_t i = 0; i < size; ++i) {
    own_.emplace_back();
    members_.push_back(i == 0 && master_ != nullptr ? master_ : &own_[i]);
  }
  memory_ = &memory;
  if (master_ == nullptr) own_[0].data = std::move(said_before_);
  attach_next_team_data();
  std::vector<Known> known;
  std::vector<Located> located;
  for (const Member* member : members_) {
    known.push_back(data_of(*member));
    located.push_back(locate_all(known.back().data, known.back().calls));
  }
  std::unique_lock lock(g_bubbles_lock);
  policy::Forest& forest = g_state->forest;
  if (!known[0].data.empty() && master_ != nullptr) {
    attach_anew(*master_, located[0]);
    if (master_->shakes) place_anew(*master_);
  }
  if (master_ != nullptr) {
    bubble_ = forest.enclose(master_->entity);
    expect_as_much(bubble_, size);
    master_->inner.store(size, std::memory_order_relaxed);  // its own thread reads it back later
  } else {
    bubble_ = forest.add_bubble();
    own_[0].entity = forest.add_thread(bubble_);
  }
  for (std::size_t i = 1; i < size; ++i) own_[i].entity = forest.add_thread(bubble_);
  const bool same = memory.loads.size() == size;
  for (std::size_t i = 0; i < size; ++i) {
    Member& member = *members_[i];
    if (&member != master_) {
      member.allowed = &allowed;
      if (same) member.load = memory.loads[i];
      if (same && memory.last[i].valid()) forest.set_last(member.entity, memory.last[i]);
      enter_member(member);
      if (!known[i].data.empty()) attach_anew(member, located[i]);
    }
    // In this team a master has its own work; that of the team is what the others have.
    const double own_load = same ? memory.loads[i] : 1;
    forest.expect_load(member.entity, &member == master_ ? own_load : member.load);
  }
  g_state->scheduler->on_submit(forest, bubble_);
  counters().bubbles.add(1);
  const std::vector<std::size_t> busy = busy_threads();
  g_crowded.store(std::ranges::any_of(busy, [](std::size_t threads) { return threads > 1; }),
                  std::memory_order_relaxed);
  const std::vector<Data> follow = carry_out_moves(counters().bubble_shakes);
  const DataCalls calls = g_state->calls;
  for (Member* member : members_) {
    const RunQueueId queue = forest.where(member->entity);
    member->wanted.store(queue.value(), std::memory_order_seq_cst);
    member->given = queue;
    member->brings_data = false;
  }
  lock.unlock();
  let_follow(follow, calls);
}

/// A part of the machine is free: time for others to look at it. What moves brings no data.
void Team::tick_siblings(EntityId around) noexcept {
  const std::vector<EntityId> members = g_state->forest[around].members;
  for (const EntityId member : members) {
    if (g_state->forest[member].is_bubble) g_state->scheduler->on_tick(g_state->forest, member);
  }
  static_cast<void>(carry_out_moves(counters().bubble_steals));
}

/// What the program has said of its next team is this team's.
void Team::attach_next_team_data() noexcept {
  std::vector<NextTeamData> wishes;
  const std::lock_guard lock(g_bubbles_lock);
  wishes.swap(g_state->next_team);
  for (const NextTeamData& wish : wishes) {
    for (std::size_t i = 0; i < members_.size() && i * wish.chunk < wish.data.bytes; ++i) {
      const std::size_t at = i * wish.chunk;
      members_[i]->data.push_back(
          {wish.data.begin + at, std::min(wish.chunk, wish.data.bytes - at)});
      members_[i]->shakes = true;
    }
  }
}

Team::~Team() {
  if (!is_chosen()) return;
  const std::lock_guard lock(g_bubbles_lock);
  policy::Forest& forest = g_state->forest;
  g_state->scheduler->on_end(forest, bubble_);
  memory_->last.clear();
  memory_->loads.clear();
  for (const Member* member : members_) {
    const auto& cores = g_state->queues[member->given].cores;
    memory_->last.push_back(cores.size() == 1 ? cores[0] : CoreId{});
    // The master's last team is this one.
    const std::size_t inner = member == master_ ? 1 : member->inner.load(std::memory_order_relaxed);
    memory_->loads.push_back(static_cast<double>(inner));
  }
  for (std::size_t i = master_ == nullptr ? 0 : 1; i < members_.size(); ++i) {
    g_state->members[members_[i]->entity.index()] = nullptr;
    forest.remove(members_[i]->entity);
  }
  if (master_ == nullptr) {
    forest.remove(bubble_);
  } else {
    forest.open(bubble_);
    // Until it says otherwise: as much as its next team will have.
    const bool is_told = master_->load != unknown_load;
    forest.expect_load(master_->entity,
                       is_told ? master_->load : static_cast<double>(members_.size()));
    tick_siblings(forest[master_->entity].parent);
  }
}

void Team::join(std::size_t number, int system_number) noexcept {
  Member* const member = members_[number];
  t_member = member;
  t_team = this;
  const std::lock_guard lock(g_bubbles_lock);
  member->thread = system_number;
}

void Team::leave(std::size_t number) noexcept {
  t_member = outer_of_caller(number);
  t_team = number == 0 ? outer_team_ : nullptr;
}

void Team::shake_together() noexcept {
  std::vector<Data> follow;
  DataCalls calls;
  {
    std::unique_lock lock(g_bubbles_lock);
    if (++said_ < members_.size()) {
      const std::uint32_t before = shakes_.load(std::memory_order_relaxed);  // under the lock
      lock.unlock();
      // acquire: where everybody goes is known.
      while (shakes_.load(std::memory_order_acquire) == before) {
        runtime::futex_wait(shakes_, before, {100'000'000});
      }
      return;
    }
    said_ = 0;
    place_anew(*t_member);
    follow = carry_out_moves(counters().bubble_shakes);
    calls = g_state->calls;
    shakes_.fetch_add(1, std::memory_order_release);
  }
  runtime::futex_wake(shakes_, std::numeric_limits<std::uint32_t>::max());
  let_follow(follow, calls);
}

bool Team::stays_idle() noexcept {
  const std::int64_t end = now().count + least_idleness.count;
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  for (;;) {
    // seq_cst: whoever rests later sees the sleeper, or is counted here.
    const std::uint32_t resting = resting_.load(std::memory_order_seq_cst);
    if (resting == members_.size()) return false;
    const std::int64_t left = end - now().count;
    if (left <= 0) return true;
    runtime::futex_wait(resting_, resting, {left});
  }
}

void Team::rest() noexcept {
  const bool is_last = resting_.fetch_add(1, std::memory_order_seq_cst) + 1 == members_.size();
  if (is_last && sleepers_.load(std::memory_order_seq_cst) != 0) {
    runtime::futex_wake(resting_, std::numeric_limits<std::uint32_t>::max());
  }
  {
    const std::lock_guard lock(g_bubbles_lock);
    g_state->forest.set_load(t_member->entity, 0);
    if (is_last || idle_cores().empty()) return;
  }
  if (!stays_idle()) return;
  std::vector<Data> follow;
  DataCalls calls;
  {
    const std::lock_guard lock(g_bubbles_lock);
    follow = fill_idle_cores();
    calls = g_state->calls;
  }
  let_follow(follow, calls);
}

void Team::resume() noexcept {
  resting_.fetch_sub(1, std::memory_order_seq_cst);
  const Member& member = *t_member;
  const std::lock_guard lock(g_bubbles_lock);
  const bool is_told = member.load != unknown_load;
  g_state->forest.expect_load(
      member.entity,
      is_told ? member.load : static_cast<double>(member.inner.load(std::memory_order_relaxed)));
}

// --- what the program says

void add_data(const Data& data, const DataCalls& calls, Shake shake) noexcept {
  Member* const member = t_member;
  if (member == nullptr) {
    outside_of_this_thread(true)->data.push_back(data);
    const std::lock_guard lock(g_bubbles_lock);
    g_state->calls = calls;
    return;
  }
  const Located located = locate_all({data}, calls);
  std::vector<Data> follow;
  {
    const std::lock_guard lock(g_bubbles_lock);
    g_state->calls = calls;
    const auto same = [&](const Data& other) {
      return other.begin == data.begin && other.bytes == data.bytes;
    };
    if (std::none_of(member->data.begin(), member->data.end(), same)) {
      member->data.push_back(data);
      attach(*member, located);
      if (member->brings_data) follow.push_back(data);
    }
    member->shakes = member->shakes || shake == Shake::next_region;
    if (shake == Shake::now) {
      place_anew(*member);
      const std::vector<Data> moved = carry_out_moves(counters().bubble_shakes);
      follow.insert(follow.end(), moved.begin(), moved.end());
    }
  }
  let_follow(follow, calls);
  if (shake == Shake::together) t_team->shake_together();
}

void clear_data() noexcept {
  Member* const member = t_member;
  if (member == nullptr) {
    if (Outside* said = outside_of_this_thread(false); said != nullptr) said->data.clear();
    return;
  }
  const std::lock_guard lock(g_bubbles_lock);
  member->data.clear();
  g_state->forest.detach(member->entity);
}

void add_next_team_data(const Data& data, std::size_t chunk, const DataCalls& calls) noexcept {
  const std::lock_guard lock(g_bubbles_lock);
  g_state->calls = calls;
  g_state->next_team.push_back({data, chunk});
}

void set_load(double work_left) noexcept {
  Member* const member = t_member;
  if (member == nullptr) return;
  const std::lock_guard lock(g_bubbles_lock);
  member->load = std::max(work_left, 0.0);
  g_state->forest.set_load(member->entity, member->load);
}

void set_intensity(double intensity) noexcept {
  Member* const member = t_member;
  if (member == nullptr) return;
  const std::lock_guard lock(g_bubbles_lock);
  g_state->forest.set_intensity(member->entity, std::max(intensity, 0.0));
}

}  // namespace lares::omp::bubbles
