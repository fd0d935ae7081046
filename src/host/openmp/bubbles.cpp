#include "host/openmp/bubbles.hpp"

#include <algorithm>
#include <limits>
#include <mutex>

#include "base/clock.hpp"
#include "host/openmp/bubbles_data.hpp"
#include "host/openmp/bubbles_forest.hpp"
#include "host/openmp/bubbles_resting.hpp"
#include "runtime/futex.hpp"
#include "runtime/spinlock.hpp"

namespace lares::omp::bubbles {

namespace {

// --- idle cores. Under the lock.

/// Whether threads are where an idle core has taken them, away from where their team was given
/// cores: then what they name from now on follows them, as what they had named would have.
void note_thieves() noexcept {
  for (const EntityId outermost : g_shared->forest.outermost()) {
    for (const EntityId thread : g_shared->forest.threads_of(outermost)) {
      Member* const member = member_of(thread);
      if (member == nullptr) continue;
      const DomainId given = g_shared->queues[member->given].domain;
      const DomainId here = g_shared->queues[g_shared->forest.where(thread)].domain;
      member->brings_data = given.valid() && here.valid() && given != here;
    }
  }
}

/// For so long a thread has nothing to do before its core counts as idle: some hundred times what
/// moving a thread takes.
constexpr Nanoseconds least_idleness{1'000'000};

std::vector<Data> fill_idle_cores() noexcept {
  const policy::BusyCores& busy = g_shared->forest.busy_cores();
  if (!busy.any_idle_beside_crowded()) return {};
  end_resting_among(g_shared->forest.threads());
  const std::vector<CoreId> idle = busy.idle();
  g_shared->scheduler->on_idle(g_shared->forest, idle);
  std::vector<Data> follow = carry_out_moves(counters().bubble_steals);
  note_thieves();
  return follow;
}

// --- what threads have needed

bool is_flat(const std::vector<double>& loads) noexcept {
  return std::ranges::all_of(loads, [](double load) { return load == 1; });
}

}  // namespace

// --- the process

void set_up(const machine::Machine& machine, const char* name) noexcept {
  if (name == nullptr) return;
  const policy::BubbleSchedulerEntry* entry = policy::find_bubble_scheduler(name);
  if (entry == nullptr) return;
  delete g_shared;  // of an earlier machine, which tests have
  g_shared = new SharedForest(machine, *entry);
  g_shared->scheduler->on_start(g_shared->forest);
  g_on = true;
}

void end_after_fork() noexcept {
  g_on = false;
  g_crowded.store(false, std::memory_order_relaxed);
  t_member = nullptr;
  t_team = nullptr;
}

std::span<const CoreId> cores_of(int place) noexcept {
  return g_shared->queues[RunQueueId{place}].cores;
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

// What the master has said is asked for here: another thread may be the first in the region.
Team::Team() noexcept
    : master_(on() ? t_member : nullptr),
      outer_team_(master_ != nullptr ? t_team : nullptr),
      level_(outer_team_ != nullptr ? outer_team_->level() + 1 : 0) {
  if (!on() || master_ != nullptr || !g_said_outside.load(std::memory_order_relaxed)) return;
  if (const Outside* said = outside_of_this_thread(false); said != nullptr)
    said_before_ = said->data;
}

void Team::choose(std::size_t size, const ProcessorMask& allowed, Memory& memory) noexcept {
  memory_ = &memory;
  if (squad_ != nullptr && squad_->members.size() != size) give_up();
  if (squad_ != nullptr || take_up_last(size)) return;
  make_squad(size, allowed);
  attach_next_team_data();
  place();
}

void Team::give_up() noexcept {
  if (squad_ == nullptr) return;
  squad_->state.store(Squad::State::resting, std::memory_order_release);
  memory_->resting.swap(squad_);  // it was taken from there
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
  for (std::size_t i = 0; !last->is_flat && i < last->loads.size(); ++i) {
    if (last->loads[i] != 1 && last->members[i] != master_) {
      last->members[i]->inner.store(1,
                                    std::memory_order_relaxed);  // its own thread is not there yet
    }
  }
  if (master_ != nullptr) master_->inner.store(last->members.size(), std::memory_order_relaxed);
  counters().bubbles.add(1);
  memory_ = &memory;
  squad_.swap(memory.resting);
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
  const bool told = !said_before_.empty() || !g_shared->next_team.empty() ||
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
  policy::Forest& forest = g_shared->forest;
  if (!known[0].data.empty() && master_ != nullptr) {
    attach_anew(*master_, located[0]);
    if (master_->shakes) place_anew(*master_);
  }
  enter_forest();
  for (std::size_t i = master_ == nullptr ? 0 : 1; i < members.size(); ++i) {
    if (!known[i].data.empty()) attach_anew(*members[i], located[i]);
  }
  g_shared->scheduler->on_submit(forest, squad_->bubble);
  counters().bubbles.add(1);
  const std::vector<Data> follow = carry_out_moves(counters().bubble_shakes);
  const DataCalls calls = g_shared->calls;
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
  policy::Forest& forest = g_shared->forest;
  const std::vector<Member*>& members = squad_->members;
  const std::size_t size = members.size();
  if (master_ != nullptr) {
    squad_->bubble = forest.enclose(master_->entity);
    expect_as_much(squad_->bubble, size);
    master_->inner.store(size, std::memory_order_relaxed);  // its own thread reads it back later
  } else {
    squad_->bubble = forest.add_bubble();
  }
  g_shared->squads.push_back(squad_.get());
  const bool same = memory_->loads.size() == size;
  squad_->loads = same ? memory_->loads : std::vector<double>(size, 1.0);
  squad_->is_flat = is_flat(squad_->loads);
  for (std::size_t i = 0; i < size; ++i) {
    Member& member = *members[i];
    if (&member == master_) {
      // In this team a master has its own work; that of the team is what the others have.
      forest.expect_load(member.entity, squad_->loads[i]);
      continue;
    }
    member.entity = forest.add_thread(squad_->bubble);
    if (same) member.load = squad_->loads[i];
    if (same && g_shared->queues.is_core(memory_->queues[i])) {
      forest.set_last(member.entity, g_shared->queues[memory_->queues[i]].cores.front());
    }
    enter_member(member);
    forest.expect_load(member.entity, member.load);
  }
}

/// A part of the machine is free: time for others to look at it. What moves brings no data.
void Team::tick_siblings(EntityId around) noexcept {
  const std::vector<EntityId> members = g_shared->forest[around].members;
  for (const EntityId member : members) {
    if (g_shared->forest[member].is_bubble) g_shared->scheduler->on_tick(g_shared->forest, member);
  }
  static_cast<void>(carry_out_moves(counters().bubble_steals));
}

/// What the program has said of its next team is this team's.
void Team::attach_next_team_data() noexcept {
  std::vector<NextTeamData> wishes;
  const std::lock_guard lock(g_bubbles_lock);
  wishes.swap(g_shared->next_team);
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
  if (master_ != nullptr) tick_siblings(g_shared->forest[master_->entity].parent);
}

/// The common case: nothing was said of it, nobody has moved, and its threads have needed as much
/// as it was placed by. The forest need not know yet.
bool Team::rest_at_once() noexcept {
  const bool may = squad_->may_rest_at_once && squad_->layout == layout() &&
                   resting_.load(std::memory_order_relaxed) == 0;
  if (!may || memory_->loads.size() != squad_->members.size()) return false;
  if (squad_->is_flat != memory_->is_flat) return false;
  for (std::size_t i = 0; i < squad_->members.size(); ++i) {
    const Member& member = *squad_->members[i];
    if (&member == master_) continue;  // its last team is this one
    if (member.is_told_of.load(std::memory_order_relaxed)) return false;
    const std::size_t inner = member.inner.load(std::memory_order_relaxed);
    if (squad_->is_flat) {
      if (inner != 1) return false;
      continue;
    }
    const auto load = static_cast<double>(inner);
    if (load != squad_->loads[i] || load != memory_->loads[i]) return false;
  }
  squad_->state.store(Squad::State::resting, std::memory_order_release);
  memory_->resting.swap(squad_);  // there was none
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
  memory_->is_flat = is_flat(memory_->loads);
}

/// Whether it can be as it was the next time: nothing was said of it, and nobody was stolen.
bool Team::may_rest() const noexcept {
  if (!g_shared->scheduler->keeps_teams()) return false;
  return std::ranges::all_of(squad_->members, [this](const Member* member) {
    const bool told = member != master_ && member->is_told_of.load(std::memory_order_relaxed);
    return !told && g_shared->forest.where(member->entity) == member->given;
  });
}

Member& Team::join(std::size_t number) noexcept {
  join_as(*squad_->members[number]);
  return *t_member;
}

void Team::join_as(Member& member) noexcept {
  t_member = &member;
  t_team = this;
}

void Team::leave(std::size_t number) noexcept {
  if (number != 0) return leave_own();
  t_member = master_;
  t_team = outer_team_;
}

void Team::leave_own() noexcept {
  t_member = nullptr;
  t_team = nullptr;
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
    calls = g_shared->calls;
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
    g_shared->forest.set_load(t_member->entity, 0);
    if (!g_shared->forest.busy_cores().any_idle_beside_crowded()) return;
  }
  if (!stays_idle()) return;
  std::vector<Data> follow;
  DataCalls calls;
  {
    const Books books;
    follow = fill_idle_cores();
    calls = g_shared->calls;
  }
  let_follow(follow, calls);
}

void Team::resume() noexcept {
  resting_.fetch_sub(1, std::memory_order_seq_cst);
  const Member& member = *t_member;
  const std::lock_guard lock(g_bubbles_lock);
  const bool is_told = member.load != unknown_load;
  g_shared->forest.expect_load(
      member.entity,
      is_told ? member.load : static_cast<double>(member.inner.load(std::memory_order_relaxed)));
}

}  // namespace lares::omp::bubbles
