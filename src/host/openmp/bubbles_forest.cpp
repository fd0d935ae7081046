#include "host/openmp/bubbles_forest.hpp"

#include "host/openmp/bubbles_inside.hpp"
#include "host/openmp/bubbles_resting.hpp"
#include "host/openmp/thread_moves.hpp"
#include "runtime/engine.hpp"
#include "runtime/thread_state.hpp"

namespace lares::omp::bubbles {

constinit SharedForest* g_shared = nullptr;
LARES_PROCESS_LOCK(g_bubbles_lock);
constinit std::atomic<std::uint64_t> g_layout{0};

runtime::CounterSlot& counters() noexcept { return *runtime::this_thread()->counters; }

Member* member_of(EntityId entity) noexcept {
  return entity.index() < g_shared->members.size() ? g_shared->members[entity.index()] : nullptr;
}

void enter_member(Member& member) {
  const std::size_t index = member.entity.index();
  if (g_shared->members.size() <= index) g_shared->members.resize(index + 1, nullptr);
  g_shared->members[index] = &member;
}

namespace {

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

}  // namespace

std::vector<Data> carry_out_moves(runtime::Counter& count) noexcept {
  std::vector<Data> follow;
  for (const policy::ThreadMove& move : g_shared->forest.take_moves()) {
    Member* const member = member_of(move.thread);
    if (member == nullptr) continue;
    const policy::RunQueue& queue = g_shared->queues[move.to];
    member->wanted.store(move.to.value(), std::memory_order_seq_cst);
    count.add(1);
    change_layout();
    if (member != t_member) bind_other(*member, mask_of(g_shared->machine, queue.cores));
    const int thread = member->thread.load(std::memory_order_relaxed);
    if (thread != 0) note_thread_move(thread, queue.cores);
    if (!move.with_data) continue;
    follow.insert(follow.end(), member->data.begin(), member->data.end());
    const std::uint64_t bytes = g_shared->forest.bytes_of(move.thread);
    g_shared->forest.detach(move.thread);
    g_shared->forest.attach(move.thread, queue.domain, bytes);
  }
  return follow;
}

void expect_as_much(EntityId bubble, std::size_t size) noexcept {
  const EntityId around = g_shared->forest[bubble].parent;
  if (!around.valid()) return;
  for (const EntityId thread : g_shared->forest[around].members) {
    const Member* const member = member_of(thread);
    const policy::Entity& entity = g_shared->forest[thread];
    if (entity.is_bubble || member == nullptr || entity.load != unknown_load) continue;
    g_shared->forest.expect_load(thread, static_cast<double>(size));
  }
}

void note_crowd() noexcept {
  g_crowded.store(g_shared->forest.busy_cores().any_crowded(), std::memory_order_relaxed);
}

// --- for other files

Inside::Inside() noexcept
    : forest(g_shared->forest), scheduler(*g_shared->scheduler), lock_(g_bubbles_lock) {
  settle_all();
}

Member* Inside::member_of(EntityId entity) noexcept { return bubbles::member_of(entity); }

Following Inside::carry_out_moves(runtime::Counter& count) noexcept {
  return {bubbles::carry_out_moves(count), g_shared->calls};
}

}  // namespace lares::omp::bubbles
