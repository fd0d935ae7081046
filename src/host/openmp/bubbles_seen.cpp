#include "host/openmp/bubbles_seen.hpp"

#include <algorithm>

#include "host/openmp/bubbles_inside.hpp"
#include "runtime/thread_state.hpp"

namespace lares::omp::bubbles {

namespace {

using policy::EntityId;
using policy::RunQueueId;

// --- who is where. With the lock.

bool has_said_data(const Inside& inside, EntityId thread) noexcept {
  const Member* const member = Inside::member_of(thread);
  return inside.forest.bytes_of(thread) > 0 || (member != nullptr && !member->data.empty());
}

/// Of one thread of a team the program mostly means all: a master says what its team uses.
bool is_team_told(const Inside& inside, EntityId thread) noexcept {
  const std::vector<EntityId>& team = inside.forest[inside.forest[thread].parent].members;
  return std::ranges::any_of(team, [&](EntityId member) {
    return !inside.forest[member].is_bubble && has_said_data(inside, member);
  });
}

/// It has left its team, or the program has chosen its processors.
bool is_gone(const Inside& inside, const Member& member) noexcept {
  // relaxed: who goes at this moment is moved once for nothing.
  return !inside.forest[member.entity].rests && member.thread.load(std::memory_order_relaxed) == 0;
}

Runner runner(const Inside& inside, const Member& member) noexcept {
  Runner found{.thread = &member, .entity = member.entity, .core = {}, .domain = {}};
  const RunQueueId queue = inside.forest.where(member.entity);
  found.stays = queue != member.given || is_team_told(inside, member.entity);
  if (is_gone(inside, member)) return found;
  const policy::RunQueues& queues = inside.forest.queues();
  found.domain = queues[queue].domain;
  if (queues.is_core(queue)) found.core = queues[queue].cores.front();
  return found;
}

/// Of threads that share a core nobody knows which of them used what.
void forget_shared_cores(std::vector<Runner>& runners) noexcept {
  std::vector<std::size_t> threads;  // by core
  for (const Runner& each : runners) {
    if (!each.core.valid()) continue;
    if (threads.size() <= each.core.index()) threads.resize(each.core.index() + 1);
    ++threads[each.core.index()];
  }
  for (Runner& each : runners) {
    if (each.core.valid() && threads[each.core.index()] > 1) each.core = {};
  }
}

// --- moving them. With the lock.

/// While it lives, teams that rest are as if they ran: they come again, and a plan without them
/// would give their cores to others, and leave them where their master was.
class Awake {
 public:
  explicit Awake(Inside& inside) noexcept : forest_(inside.forest) {
    for (const EntityId thread : forest_.threads()) {
      Member* const member = Inside::member_of(thread);
      if (member != nullptr) wake(*member);
    }
  }
  Awake(const Awake&) = delete;
  Awake& operator=(const Awake&) = delete;
  ~Awake() {
    for (const Was& was : masters_) forest_.expect_load(was.thread, was.load);
    for (const EntityId thread : resting_) forest_.rest(thread);
  }

 private:
  struct Was {
    EntityId thread;
    double load;
  };

  void wake(Member& member) noexcept {
    if (forest_[member.entity].rests) {
      resting_.push_back(member.entity);
      forest_.resume(member.entity, member.load);
    }
    if (member.resting.empty()) return;
    // While its team rests a master stands for all of it.
    masters_.push_back({member.entity, forest_[member.entity].load});
    forest_.expect_load(member.entity, member.resting.back()->loads.front());
  }

  policy::Forest& forest_;
  std::vector<EntityId> resting_;
  std::vector<Was> masters_;
};

bool is_to_be_told(const Inside& inside, const SeenData& seen) noexcept {
  const EntityId thread = seen.runner.entity;
  return Inside::member_of(thread) == seen.runner.thread && !has_said_data(inside, thread);
}

/// The threads of which the forest has been told.
std::vector<EntityId> tell(const Inside& inside, std::span<const SeenData> seen) noexcept {
  std::vector<EntityId> told;
  for (const SeenData& each : seen) {
    if (!is_to_be_told(inside, each)) continue;
    for (std::size_t d = 0; d < each.bytes.size(); ++d) {
      if (each.bytes[d] == 0) continue;
      inside.forest.attach(each.runner.entity, DomainId{d}, each.bytes[d]);
    }
    told.push_back(each.runner.entity);
  }
  return told;
}

std::vector<EntityId> outermost_around(const Inside& inside, std::span<const EntityId> threads) {
  std::vector<EntityId> outermost;
  for (EntityId entity : threads) {
    while (inside.forest[entity].parent.valid()) entity = inside.forest[entity].parent;
    if (std::ranges::find(outermost, entity) == outermost.end()) outermost.push_back(entity);
  }
  return outermost;
}

/// Where they are now their teams shall begin the next time.
void give_new_places(const Inside& inside) noexcept {
  for (const EntityId thread : inside.forest.threads()) {
    Member* const member = Inside::member_of(thread);
    if (member == nullptr) continue;
    const RunQueueId queue = inside.forest.where(thread);
    // relaxed: only written with the lock.
    if (member->wanted.load(std::memory_order_relaxed) == queue.value()) continue;
    member->given = queue;
    member->has_settled = true;
  }
}

}  // namespace

bool follow_data() noexcept {
  if (!on()) return false;
  const Inside inside;
  return inside.scheduler.goes_by_data();
}

std::vector<Runner> runners() noexcept {
  if (!follow_data()) return {};
  const Inside inside;
  std::vector<Runner> all;
  for (const EntityId thread : inside.forest.threads()) {
    const Member* const member = Inside::member_of(thread);
    if (member != nullptr) all.push_back(runner(inside, *member));
  }
  forget_shared_cores(all);
  return all;
}

std::size_t go_to_seen(std::span<const SeenData> seen) noexcept {
  runtime::Counter& count = runtime::this_thread()->counters->bubble_seen;
  const std::uint64_t before = count.get();
  Following follow;
  {
    Inside inside;
    {
      const Awake awake(inside);
      const std::vector<EntityId> told = tell(inside, seen);
      for (const EntityId bubble : outermost_around(inside, told)) {
        inside.scheduler.on_shake(inside.forest, bubble);
      }
      for (const EntityId thread : told) inside.forest.detach(thread);
    }
    give_new_places(inside);
    follow = Inside::carry_out_moves(count);
  }
  let_follow(follow);
  return static_cast<std::size_t>(count.get() - before);
}

}  // namespace lares::omp::bubbles
