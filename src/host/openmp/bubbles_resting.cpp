#include "host/openmp/bubbles_resting.hpp"

#include <algorithm>

namespace lares::omp::bubbles {

void remember_places(Memory& memory, const Squad& squad) noexcept {
  for (std::size_t i = 0; i < squad.members.size() && i < memory.queues.size(); ++i) {
    if (squad.members[i]->has_settled) memory.queues[i] = squad.members[i]->given;
  }
}

namespace {

/// Where there are several masters that are in no team, what one may use depends on whether the
/// others have something to do.
void note_outermost(const Squad& squad) noexcept {
  if (squad.master == nullptr && g_shared->forest.outermost().size() > 1) change_layout();
}

/// Its master has something to do when it opens its next region: as much as this one had.
void expect_of_master(const Squad& squad) noexcept {
  if (squad.master == nullptr) return;
  const Member& master = *squad.master;
  const bool is_told = master.load != unknown_load;
  g_shared->forest.expect_load(master.entity,
                               is_told ? master.load : static_cast<double>(squad.members.size()));
}

bool is_within(EntityId entity, EntityId bubble) noexcept {
  while (entity.valid() && entity != bubble) entity = g_shared->forest[entity].parent;
  return entity.valid();
}

/// A thread may be the master of teams at several levels, one within the other.
void end_resting_within(const Member& master, EntityId bubble) noexcept {
  const auto inner = [&] {
    return std::ranges::find_if(master.resting, [&](const Squad* squad) {
      return squad->bubble != bubble && is_within(squad->bubble, bubble);
    });
  };
  for (auto found = inner(); found != master.resting.end(); found = inner()) end_squad(**found);
}

void end_resting(const Member& master) noexcept {
  while (!master.resting.empty()) end_squad(*master.resting.front());
}

}  // namespace

void put_to_rest(Squad& squad) noexcept {
  squad.state.store(Squad::State::settled, std::memory_order_relaxed);  // read under the lock
  for (const Member& member : squad.own) g_shared->forest.rest(member.entity);
  expect_of_master(squad);
  if (squad.master != nullptr) squad.master->resting.push_back(&squad);
  note_outermost(squad);
}

void settle_all() noexcept {
  // From the last: the teams within one rest before it does.
  for (auto at = g_shared->squads.rbegin(); at != g_shared->squads.rend(); ++at) {
    Squad* const squad = *at;
    auto resting = Squad::State::resting;
    // acquire: what its threads and its master have left behind.
    if (squad->state.compare_exchange_strong(resting, Squad::State::settled,
                                             std::memory_order_acquire)) {
      put_to_rest(*squad);
    }
  }
}

void note_placed(Squad& squad) noexcept {
  squad.layout = layout();
  squad.may_rest_at_once = g_shared->scheduler->keeps_teams() &&
                           (squad.master != nullptr || g_shared->forest.outermost().size() == 1);
  note_crowd();
}

void resume_squad(Squad& squad) noexcept {
  squad.state.store(Squad::State::running, std::memory_order_relaxed);  // under the lock
  policy::Forest& forest = g_shared->forest;
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

void end_squad(Squad& squad) noexcept {
  policy::Forest& forest = g_shared->forest;
  for (const Member* member : squad.members) end_resting_within(*member, squad.bubble);
  g_shared->scheduler->on_end(forest, squad.bubble);
  for (const Member& member : squad.own) {
    g_shared->members[member.entity.index()] = nullptr;
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
  std::erase(g_shared->squads, &squad);
}

void end_resting_among(const std::vector<EntityId>& threads) noexcept {
  for (const EntityId thread : threads) {
    if (const Member* const member = member_of(thread); member != nullptr) end_resting(*member);
  }
}

void place_anew(Member& member) noexcept {
  change_layout();
  end_resting(member);
  const EntityId team = g_shared->forest[member.entity].parent;
  end_resting_among(g_shared->forest.threads_of(team));
  g_shared->scheduler->on_shake(g_shared->forest, team);
  member.shakes = false;
}

Memory::~Memory() {
  if (resting == nullptr || !on()) return;
  const Books books;
  if (!resting->bubble.valid()) return;
  end_squad(*resting);
  change_layout();
}

}  // namespace lares::omp::bubbles
