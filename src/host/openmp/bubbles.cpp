#include "host/openmp/bubbles.hpp"

#include <unistd.h>

#include <algorithm>
#include <limits>
#include <mutex>

#include "base/clock.hpp"
#include "host/openmp/bubbles_inside.hpp"
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
  std::vector<Squad*> squads;  // all that the forest has
};
State* g_state = nullptr;  // lives as long as the process
LARES_PROCESS_LOCK(g_bubbles_lock);

/// Changes with what a team that rests has been placed by: who else is where, or comes and goes.
/// Written under the lock, by any thread; a master reads it without.
std::atomic<std::uint64_t> g_layout{0};
void change_layout() noexcept { g_layout.fetch_add(1, std::memory_order_release); }
std::uint64_t layout() noexcept { return g_layout.load(std::memory_order_acquire); }

/// Whether something was said of the next team. Written under the lock.
std::atomic<bool> g_next_team_told{false};

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
  member.moving.store(true, std::memory_order_seq_cst);
  if (!member.still.load(std::memory_order_seq_cst)) {
    // relaxed: it was written before the thread went on.
    const int thread = member.thread.load(std::memory_order_relaxed);
    if (thread != 0 && member.allowed->contains(mask)) mask.apply_to(thread);
  }
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
    change_layout();
    if (member != t_member) bind_other(*member, mask_of(g_state->machine, queue.cores));
    const int thread = member->thread.load(std::memory_order_relaxed);
    if (thread != 0) note_thread_move(thread, queue.cores);
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

/// For threads of later teams to look whether they shall look.
void note_crowd() noexcept {
  g_crowded.store(g_state->forest.busy_cores().any_crowded(), std::memory_order_relaxed);
}

// --- teams that rest. Under the lock.

/// Who went to what it was seen to use begins there the next time.
void remember_places(Memory& memory, const Squad& squad) noexcept {
  for (std::size_t i = 0; i < squad.members.size() && i < memory.queues.size(); ++i) {
    if (squad.members[i]->has_settled) memory.queues[i] = squad.members[i]->given;
  }
}

/// Where there are several masters that are in no team, what one may use depends on whether the
/// others have something to do.
void note_outermost(const Squad& squad) noexcept {
  if (squad.master == nullptr && g_state->forest.outermost().size() > 1) change_layout();
}

/// Its master has something to do when it opens its next region: as much as this one had.
void expect_of_master(const Squad& squad) noexcept {
  if (squad.master == nullptr) return;
  const Member& master = *squad.master;
  const bool is_told = master.load != unknown_load;
  g_state->forest.expect_load(master.entity,
                              is_told ? master.load : static_cast<double>(squad.members.size()));
}

/// Tells the forest.
void put_to_rest(Squad& squad) noexcept {
  squad.state.store(Squad::State::settled, std::memory_order_relaxed);  // read under the lock
  for (const Member& member : squad.own) g_state->forest.rest(member.entity);
  expect_of_master(squad);
  if (squad.master != nullptr) squad.master->resting.push_back(&squad);
  note_outermost(squad);
}

void settle_all() noexcept {
  // From the last: the teams within one rest before it does.
  for (auto at = g_state->squads.rbegin(); at != g_state->squads.rend(); ++at) {
    Squad* const squad = *at;
    auto resting = Squad::State::resting;
    // acquire: what its threads and its master have left behind.
    if (squad->state.compare_exchange_strong(resting, Squad::State::settled,
                                             std::memory_order_acquire)) {
      put_to_rest(*squad);
    }
  }
}

/// The lock, for whoever looks at who has something to do.
class Books {
 public:
  Books() noexcept : lock_(g_bubbles_lock) { settle_all(); }
  void unlock() noexcept { lock_.unlock(); }

 private:
  std::unique_lock<runtime::ProcessLock> lock_;
};

/// After the forest has it. Where several masters are in no team, one is placed by what others do.
void note_placed(Squad& squad) noexcept {
  squad.layout = layout();
  squad.may_rest_at_once = g_state->scheduler->keeps_teams() &&
                           (squad.master != nullptr || g_state->forest.outermost().size() == 1);
  note_crowd();
}

void resume_squad(Squad& squad) noexcept {
  squad.state.store(Squad::State::running, std::memory_order_relaxed);  // under the lock
  policy::Forest& forest = g_state->forest;
  for (Member& member : squad.own) {
    forest.resume(member.entity, member.load);
    member.inner.store(1, std::memory_order_relaxed);  // its own thread is not there yet
  }
  if (Member* const master = squad.master; master != nullptr) {
    forest.expect_load(master->entity, squad.loads[0]);
    master->inner.store(squad.members.size(), std::memory_order_relaxed);
    std::erase(master->resting, &squad);
  }
  note_outermost(squad);
  note_placed(squad);
}

bool is_within(EntityId entity, EntityId bubble) noexcept {
  while (entity.valid() && entity != bubble) entity = g_state->forest[entity].parent;
  return entity.valid();
}

void end_squad(Squad& squad) noexcept;

/// A thread may be the master of teams at several levels, one within the other.
void end_resting_within(const Member& master, EntityId bubble) noexcept {
  const auto inner = [&] {
    return std::ranges::find_if(master.resting, [&](const Squad* squad) {
      return squad->bubble != bubble && is_within(squad->bubble, bubble);
    });
  };
  for (auto found = inner(); found != master.resting.end(); found = inner()) end_squad(**found);
}

/// For good, with the teams within it that rest.
void end_squad(Squad& squad) noexcept {
  policy::Forest& forest = g_state->forest;
  for (const Member* member : squad.members) end_resting_within(*member, squad.bubble);
  g_state->scheduler->on_end(forest, squad.bubble);
  for (const Member& member : squad.own) {
    g_state->members[member.entity.index()] = nullptr;
    forest.remove(member.entity);
  }
  if (squad.master == nullptr) {
    forest.remove(squad.bubble);
  } else {
    forest.open(squad.bubble);
    expect_of_master(squad);
    std::erase(squad.master->resting, &squad);
  }
  squad.bubble = {};
  std::erase(g_state->squads, &squad);
}

// --- what is placed anew. Under the lock.

/// Teams that rest are no part of what is placed: their threads need no cores, and their bubbles
/// lie between a master and its team.
void end_resting(const Member& master) noexcept {
  while (!master.resting.empty()) end_squad(*master.resting.front());
}

void end_resting_among(const std::vector<EntityId>& threads) noexcept {
  for (const EntityId thread : threads) {
    if (const Member* const member = member_of(thread); member != nullptr) end_resting(*member);
  }
}

/// The member and its teammates, no other team: those may be about to say something else. The moves
/// are for carry_out_moves().
void place_anew(Member& member) noexcept {
  change_layout();
  end_resting(member);
  const EntityId team = g_state->forest[member.entity].parent;
  end_resting_among(g_state->forest.threads_of(team));
  g_state->scheduler->on_shake(g_state->forest, team);
  member.shakes = false;
}

// --- idle cores. Under the lock.

/// For so long a thread has nothing to do before its core counts as idle: some hundred times what
/// moving a thread takes.
constexpr Nanoseconds least_idleness{1'000'000};

std::vector<Data> fill_idle_cores() noexcept {
  const policy::BusyCores& busy = g_state->forest.busy_cores();
  if (!busy.any_idle_beside_crowded()) return {};
  end_resting_among(g_state->forest.threads());
  const std::vector<CoreId> idle = busy.idle();
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
  const HoldStill still;
  member->thread.store(0, std::memory_order_relaxed);  // seen by whoever sees it go on
}

void leave_for_good() noexcept {
  if (t_member == nullptr) return;  // in the child of a fork
  Member& member = *t_member;
  member.still.store(true, std::memory_order_seq_cst);
  runtime::spin_until([&] { return !member.moving.load(std::memory_order_seq_cst); });
  member.thread.store(0, std::memory_order_relaxed);
}

// --- teams

Memory::~Memory() {
  if (resting == nullptr || !on()) return;
  const Books books;
  if (!resting->bubble.valid()) return;
  end_squad(*resting);
  change_layout();
}

// What the master has said is asked for here: another thread may be the first in the region.
Team::Team() noexcept
    : master_(on() ? t_member : nullptr),
      outer_team_(master_ != nullptr ? t_team : nullptr),
      level_(outer_team_ != nullptr ? outer_team_->level() + 1 : 0) {
  if (!on() || master_ != nullptr) return;
  if (const Outside* said = outside_of_this_thread(false); said != nullptr)
    said_before_ = said->data;
}

void Team::choose(std::size_t size, const ProcessorMask& allowed, Memory& memory) noexcept {
  memory_ = &memory;
  if (squad_ != nullptr && squad_->members.size() != size) {
    squad_->state.store(Squad::State::resting, std::memory_order_release);
    memory.resting = std::move(squad_);
  }
  if (squad_ != nullptr || take_up_last(size)) return;
  make_squad(size, allowed);
  attach_next_team_data();
  place();
}

bool Team::take_up_at_once(Memory& memory) noexcept {
  Squad* const last = memory.resting.get();
  // relaxed: what is said of a thread or a team is said by the master, or before the master goes
  // on.
  const bool told = !said_before_.empty() || g_next_team_told.load(std::memory_order_relaxed) ||
                    (master_ != nullptr && master_->is_told_of.load(std::memory_order_relaxed));
  if (last == nullptr || told || last->master != master_ || last->layout != layout()) return false;
  auto resting = Squad::State::resting;
  if (!last->state.compare_exchange_strong(resting, Squad::State::running,
                                           std::memory_order_acquire)) {
    return false;
  }
  for (std::size_t i = 0; i < last->loads.size(); ++i) {
    if (last->loads[i] != 1 && last->members[i] != master_) {
      last->members[i]->inner.store(1,
                                    std::memory_order_relaxed);  // its own thread is not there yet
    }
  }
  if (master_ != nullptr) master_->inner.store(last->members.size(), std::memory_order_relaxed);
  counters().bubbles.add(1);
  memory_ = &memory;
  squad_ = std::move(memory.resting);
  return true;
}

/// The team that its master had before comes again, and nothing has changed.
bool Team::take_up_last(std::size_t size) noexcept {
  std::unique_ptr<Squad> last = std::move(memory_->resting);
  if (last == nullptr) return false;
  const Books books;
  if (!last->bubble.valid()) return false;
  const bool fits = last->members.size() == size && last->master == master_ &&
                    last->layout == layout() && last->loads == memory_->loads;
  const bool told = !said_before_.empty() || !g_state->next_team.empty() ||
                    (master_ != nullptr && !master_->data.empty());
  if (!fits || told) {
    remember_places(*memory_, *last);
    end_squad(*last);
    return false;
  }
  squad_ = std::move(last);
  resume_squad(*squad_);
  counters().bubbles.add(1);
  return true;
}

void Team::make_squad(std::size_t size, const ProcessorMask& allowed) noexcept {
  squad_ = std::make_unique<Squad>();
  squad_->master = master_;
  if (master_ != nullptr) squad_->members.push_back(master_);
  while (squad_->members.size() < size) {
    Member& member = squad_->own.emplace_back();
    member.allowed = &allowed;
    squad_->members.push_back(&member);
  }
  if (said_before_.empty()) return;
  squad_->own[0].data = std::move(said_before_);
  squad_->own[0].is_told_of.store(true, std::memory_order_relaxed);
}

void Team::place() noexcept {
  const std::vector<Member*>& members = squad_->members;
  std::vector<Known> known;
  std::vector<Located> located;
  for (const Member* member : members) {
    known.push_back(data_of(*member));
    located.push_back(locate_all(known.back().data, known.back().calls));
  }
  Books books;
  policy::Forest& forest = g_state->forest;
  if (!known[0].data.empty() && master_ != nullptr) {
    attach_anew(*master_, located[0]);
    if (master_->shakes) place_anew(*master_);
  }
  enter_forest();
  for (std::size_t i = master_ == nullptr ? 0 : 1; i < members.size(); ++i) {
    if (!known[i].data.empty()) attach_anew(*members[i], located[i]);
  }
  g_state->scheduler->on_submit(forest, squad_->bubble);
  counters().bubbles.add(1);
  const std::vector<Data> follow = carry_out_moves(counters().bubble_shakes);
  const DataCalls calls = g_state->calls;
  bool same = memory_->queues.size() == members.size();
  memory_->queues.resize(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    Member& member = *members[i];
    const RunQueueId queue = forest.where(member.entity);
    member.wanted.store(queue.value(), std::memory_order_seq_cst);
    member.given = queue;
    member.brings_data = false;
    same = same && memory_->queues[i] == queue;
    memory_->queues[i] = queue;
  }
  if (!same) change_layout();
  note_placed(*squad_);
  books.unlock();
  let_follow(follow, calls);
}

/// Makes the team's entities, with what is known of them.
void Team::enter_forest() noexcept {
  policy::Forest& forest = g_state->forest;
  const std::vector<Member*>& members = squad_->members;
  const std::size_t size = members.size();
  if (master_ != nullptr) {
    squad_->bubble = forest.enclose(master_->entity);
    expect_as_much(squad_->bubble, size);
    master_->inner.store(size, std::memory_order_relaxed);  // its own thread reads it back later
  } else {
    squad_->bubble = forest.add_bubble();
  }
  g_state->squads.push_back(squad_.get());
  const bool same = memory_->loads.size() == size;
  squad_->loads = same ? memory_->loads : std::vector<double>(size, 1.0);
  for (std::size_t i = 0; i < size; ++i) {
    Member& member = *members[i];
    if (&member == master_) {
      // In this team a master has its own work; that of the team is what the others have.
      forest.expect_load(member.entity, squad_->loads[i]);
      continue;
    }
    member.entity = forest.add_thread(squad_->bubble);
    if (same) member.load = squad_->loads[i];
    if (same && g_state->queues.is_core(memory_->queues[i])) {
      forest.set_last(member.entity, g_state->queues[memory_->queues[i]].cores.front());
    }
    enter_member(member);
    forest.expect_load(member.entity, member.load);
  }
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
  g_next_team_told.store(false, std::memory_order_relaxed);
  const std::vector<Member*>& members = squad_->members;
  for (const NextTeamData& wish : wishes) {
    for (std::size_t i = 0; i < members.size() && i * wish.chunk < wish.data.bytes; ++i) {
      const std::size_t at = i * wish.chunk;
      members[i]->data.push_back(
          {wish.data.begin + at, std::min(wish.chunk, wish.data.bytes - at)});
      members[i]->shakes = true;
      members[i]->is_told_of.store(true, std::memory_order_relaxed);
    }
  }
}

Team::~Team() {
  if (!is_chosen() || rest_at_once()) return;
  const Books books;
  remember();
  if (may_rest()) {
    put_to_rest(*squad_);
    memory_->resting = std::move(squad_);
    return;
  }
  remember_places(*memory_, *squad_);
  end_squad(*squad_);
  change_layout();
  if (master_ != nullptr) tick_siblings(g_state->forest[master_->entity].parent);
}

/// The common case: nothing was said of it, nobody has moved, and its threads have needed as much
/// as it was placed by. The forest need not know yet.
bool Team::rest_at_once() noexcept {
  const bool may = squad_->may_rest_at_once && squad_->layout == layout() &&
                   resting_.load(std::memory_order_relaxed) == 0;
  if (!may || memory_->loads.size() != squad_->members.size()) return false;
  for (std::size_t i = 0; i < squad_->members.size(); ++i) {
    const Member& member = *squad_->members[i];
    const bool told = &member != master_ && member.is_told_of.load(std::memory_order_relaxed);
    const double load = load_of(member);
    if (told || load != squad_->loads[i] || load != memory_->loads[i]) return false;
  }
  squad_->state.store(Squad::State::resting, std::memory_order_release);
  memory_->resting = std::move(squad_);
  return true;
}

/// Threads that it has needed for its own last team; the master's last team is this one.
double Team::load_of(const Member& member) const noexcept {
  if (&member == master_) return 1;
  return static_cast<double>(member.inner.load(std::memory_order_relaxed));
}

/// For the master's next team.
void Team::remember() noexcept {
  memory_->loads.clear();
  for (const Member* member : squad_->members) memory_->loads.push_back(load_of(*member));
}

/// Whether it can be as it was the next time: nothing was said of it, and nobody was stolen.
bool Team::may_rest() const noexcept {
  if (!g_state->scheduler->keeps_teams()) return false;
  return std::ranges::all_of(squad_->members, [this](const Member* member) {
    const bool told = member != master_ && member->is_told_of.load(std::memory_order_relaxed);
    return !told && g_state->forest.where(member->entity) == member->given;
  });
}

Member& Team::join(std::size_t number) noexcept {
  t_member = squad_->members[number];
  t_team = this;
  return *t_member;
}

void Team::leave(std::size_t number) noexcept {
  t_member = outer_of_caller(number);
  t_team = number == 0 ? outer_team_ : nullptr;
}

void Team::shake_together() noexcept {
  std::vector<Data> follow;
  DataCalls calls;
  {
    Books books;
    if (++said_ < squad_->members.size()) {
      const std::uint32_t before = shakes_.load(std::memory_order_relaxed);  // under the lock
      books.unlock();
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
    if (resting == squad_->members.size()) return false;
    const std::int64_t left = end - now().count;
    if (left <= 0) return true;
    runtime::futex_wait(resting_, resting, {left});
  }
}

void Team::rest() noexcept {
  const bool is_last =
      resting_.fetch_add(1, std::memory_order_seq_cst) + 1 == squad_->members.size();
  if (is_last) {  // all go on at once: nobody is idle
    if (sleepers_.load(std::memory_order_seq_cst) != 0) {
      runtime::futex_wake(resting_, std::numeric_limits<std::uint32_t>::max());
    }
    return;
  }
  {
    const Books books;
    g_state->forest.set_load(t_member->entity, 0);
    if (!g_state->forest.busy_cores().any_idle_beside_crowded()) return;
  }
  if (!stays_idle()) return;
  std::vector<Data> follow;
  DataCalls calls;
  {
    const Books books;
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
    const Books books;
    g_state->calls = calls;
    const auto same = [&](const Data& other) {
      return other.begin == data.begin && other.bytes == data.bytes;
    };
    member->is_told_of.store(true, std::memory_order_relaxed);
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
  g_next_team_told.store(true, std::memory_order_relaxed);
}

void set_load(double work_left) noexcept {
  Member* const member = t_member;
  if (member == nullptr) return;
  const std::lock_guard lock(g_bubbles_lock);
  member->is_told_of.store(true, std::memory_order_relaxed);
  member->load = std::max(work_left, 0.0);
  g_state->forest.set_load(member->entity, member->load);
}

void set_intensity(double intensity) noexcept {
  Member* const member = t_member;
  if (member == nullptr) return;
  const std::lock_guard lock(g_bubbles_lock);
  member->is_told_of.store(true, std::memory_order_relaxed);
  g_state->forest.set_intensity(member->entity, std::max(intensity, 0.0));
}

// --- for other files

Inside::Inside() noexcept
    : forest(g_state->forest), scheduler(*g_state->scheduler), lock_(g_bubbles_lock) {
  settle_all();
}

Member* Inside::member_of(EntityId entity) noexcept { return bubbles::member_of(entity); }

Following Inside::carry_out_moves(runtime::Counter& count) noexcept {
  return {bubbles::carry_out_moves(count), g_state->calls};
}

void let_follow(const Following& what) noexcept { let_follow(what.data, what.calls); }

}  // namespace lares::omp::bubbles
