#include "runtime/loops.hpp"

#include <sched.h>

#include <cstdlib>
#include <mutex>
#include <new>

#include "base/disorder.hpp"
#include "runtime/engine.hpp"
#include "runtime/team.hpp"

namespace lares::runtime {

using decide::Late;
using decide::LoopRange;

void LoopLane::put(LoopRange range, bool wide) noexcept {
  if (!wide) return word_.store(pack(range), std::memory_order_relaxed);
  const std::lock_guard lock(lock_);
  begin_.store(range.begin, std::memory_order_relaxed);
  end_.store(range.end, std::memory_order_relaxed);
}

LoopRange LoopLane::take_wide(const decide::LoopShape& shape) noexcept {
  const std::lock_guard lock(lock_);
  const LoopRange all = range_of_wide();
  if (all.size() == 0) return {};
  const LoopRange taken{all.begin, all.begin + shape.to_take(all.size())};
  begin_.store(taken.end, std::memory_order_relaxed);
  return taken;
}

LoopRange LoopLane::steal(bool wide) noexcept {
  if (disorder::fails(disorder::Point::loop_steal)) return {};
  if (wide) {
    const std::lock_guard lock(lock_);
    const LoopRange all = range_of_wide();
    const LoopRange stolen{all.end - decide::to_steal(all.size()), all.end};
    if (all.size() == 0) return {};
    end_.store(stolen.begin, std::memory_order_relaxed);
    return stolen;
  }
  std::uint64_t word = word_.load(std::memory_order_relaxed);
  const LoopRange all = unpack(word);
  if (all.size() == 0) return {};
  const LoopRange stolen{all.end - decide::to_steal(all.size()), all.end};
  const bool won = word_.compare_exchange_strong(word, pack({all.begin, stolen.begin}),
                                                 std::memory_order_relaxed);
  return won ? stolen : LoopRange{};
}

namespace {

/// Stands in a link for a loop that one thread is making.
Loop* making() noexcept {
  static Loop mark;
  return &mark;
}

Loop* new_loop(std::size_t capacity) noexcept {
  void* memory = std::aligned_alloc(alignof(LoopLane), sizeof(LoopLane) * capacity);
  void* head = std::aligned_alloc(alignof(Loop), sizeof(Loop));
  if (memory == nullptr || head == nullptr) std::abort();
  auto* const loop = new (head) Loop;
  loop->lanes = static_cast<LoopLane*>(memory);
  for (std::size_t i = 0; i < capacity; ++i) new (loop->lanes + i) LoopLane;
  return loop;
}

Loop& free_loop(Team& team) noexcept {
  const std::lock_guard lock(team.loops.lock);
  Loop* loop = team.loops.free;
  if (loop != nullptr) {
    team.loops.free = loop->next_free;
    return *loop;
  }
  loop = new_loop(team.capacity());
  loop->next_made = team.loops.made;
  team.loops.made = loop;
  return *loop;
}

Loop* make_loop(Worker& worker, const LoopRequest& request) noexcept {
  Team& team = *worker.team;
  Loop& loop = free_loop(team);
  const std::uint64_t chunk = std::max(request.chunk, Engine::instance().loops().chunk);
  loop.bounds = request.bounds;
  loop.shape = decide::LoopShape(request.iterations, chunk, team.size(), request.guided);
  loop.wide = loop.shape.chunks > UINT32_MAX;
  loop.left_to_stock = request.left_to_stock;
  loop.next.store(nullptr, std::memory_order_relaxed);
  loop.gone.store(0, std::memory_order_relaxed);
  loop.last_taken.store(loop.shape.chunks == 0, std::memory_order_relaxed);
  if (request.left_to_stock) return &loop;
  for (std::size_t i = 0; i < team.size(); ++i) {
    LoopRange part = loop.shape.home_part(i);
    if (part.end == loop.shape.chunks && part.size() > 0) --part.end;
    loop.lanes[i].clear();
    loop.lanes[i].put(part, loop.wide);
  }
  if (worker.counters != nullptr) worker.counters->loops.add(1);
  return &loop;
}

// The loop behind `link`, made by whoever comes there first.
Loop* loop_behind(std::atomic<Loop*>& link, Worker& worker, const LoopRequest& request) noexcept {
  // acquire: the loop as it was made.
  Loop* loop = link.load(std::memory_order_acquire);
  if (loop == nullptr && link.compare_exchange_strong(loop, making(), std::memory_order_acquire)) {
    loop = make_loop(worker, request);
    disorder::late(disorder::Point::loop_made);
    link.store(loop, std::memory_order_release);
    return loop;
  }
  for (int spins = 0; loop == making(); ++spins) {
    if (spins < 256 && !worker.team->crowded) {
      relax();
    } else {
      sched_yield();
    }
    loop = link.load(std::memory_order_acquire);
  }
  return loop;
}

void go_on_from(Loop& loop, Team& team) noexcept {
  // acq_rel: the last one to go sees that all others have done with the loop.
  if (loop.gone.fetch_add(1, std::memory_order_acq_rel) + 1 != team.size()) return;
  const std::lock_guard lock(team.loops.lock);
  loop.next_free = team.loops.free;
  team.loops.free = &loop;
}

/// The worker's loop, for decide::find_loop_victim.
struct Look {
  Worker& worker;
  const Loop& loop;

  [[nodiscard]] std::uint64_t left(WorkerId of) const noexcept {
    return loop.lanes[of.index()].left(loop.wide);
  }
  [[nodiscard]] bool is_late(WorkerId of) const noexcept {
    return loop.lanes[of.index()].is_late();
  }
  [[nodiscard]] std::span<const WorkerId> workers_in(DomainId domain) const noexcept {
    return worker.team->places->workers_in(domain);
  }
  [[nodiscard]] std::span<const DomainId> nearest_first() const noexcept {
    return worker.team->places->nearest_first(worker.domain);
  }
  [[nodiscard]] std::uint32_t random_below(std::uint32_t bound) const noexcept {
    return worker.random.below(bound);
  }
};

void count_taken(Worker& worker) noexcept {
  if (worker.loop_taken == 0) return;
  if (worker.counters != nullptr) {
    worker.counters->loop_iterations[static_cast<std::size_t>(worker.loop_locality)].add(
        worker.loop_taken);
  }
  worker.loop_taken = 0;
}

Locality locality_of(const Worker& worker, std::uint64_t chunk) noexcept {
  const WorkerId home{worker.loop->shape.home_of(chunk)};
  if (home == worker.id) return Locality::local;
  return worker.team->places->domain_of(home) == worker.domain ? Locality::same_domain
                                                               : Locality::remote;
}

// What is left is most likely soon taken by whose home it is: that worker gets a moment.
void wait_for_home(const Team& team) noexcept {
  if (team.crowded) {
    sched_yield();
    return;
  }
  for (int i = 0; i < 16; ++i) relax();
}

LoopRange last_chunk(const Loop& loop) noexcept {
  return {loop.shape.chunks - 1, loop.shape.chunks};
}

bool is_last_left(const Loop& loop) noexcept {
  return !loop.last_taken.load(std::memory_order_relaxed);
}

LoopRange take_last(Worker& worker) noexcept {
  // relaxed: as the words.
  if (!is_last_left(*worker.loop) ||
      worker.loop->last_taken.exchange(true, std::memory_order_relaxed)) {
    return {};
  }
  worker.had_last_chunk = true;
  return last_chunk(*worker.loop);
}

LoopRange steal_from(Worker& worker, WorkerId victim) noexcept {
  const LoopRange range = worker.loop->lanes[victim.index()].steal(worker.loop->wide);
  if (range.size() == 0 || worker.counters == nullptr) return range;
  const bool afar = worker.team->places->domain_of(victim) != worker.domain;
  worker.counters->loop_steals[afar ? 1 : 0].add(1);
  return range;
}

/// A range of another worker, or the last chunk; empty if nothing was left to be seen. Whoever
/// loses a race for a range looks again: somebody else has won it, so the team as a whole goes on.
LoopRange rob(Worker& worker) noexcept {
  constexpr int patience = 32;
  const Loop& loop = *worker.loop;
  Look look{worker, loop};
  const policy::LoopSteal steal = Engine::instance().loops().steal;
  for (int waited = 0;;) {
    decide::LoopVictim victim = decide::find_loop_victim(look, steal, Late::spared);
    if (victim.left == 0) {
      victim = decide::find_loop_victim(look, steal, Late::robbed);
      const bool last_of_another =
          is_last_left(loop) && loop.shape.home_of(loop.shape.chunks - 1) != worker.id.index();
      if ((victim.left > 0 || last_of_another) && waited++ < patience) {
        wait_for_home(*worker.team);
        continue;
      }
      if (victim.left == 0) return take_last(worker);
    }
    const LoopRange range = steal_from(worker, victim.worker);
    if (range.size() > 0) return range;
  }
}

// Nothing is left of the worker's own: the first of what another has, and the rest into its word.
LoopRange take_of_others(Worker& worker) noexcept {
  count_taken(worker);
  if (worker.had_last_chunk) return {};
  const LoopRange range = rob(worker);
  if (range.size() == 0) return {};
  worker.loop_locality = locality_of(worker, range.begin);  // a range is always of one home
  const LoopRange taken{range.begin, range.begin + worker.loop->shape.to_take(range.size())};
  disorder::pause(disorder::Point::loop_stolen);
  worker.loop_lane->put({taken.end, range.end}, worker.loop->wide);
  return taken;
}

}  // namespace

Loop& enter_loop(Worker& worker, const LoopRequest& request) noexcept {
  Loop* const before = worker.loop;
  std::atomic<Loop*>& link = before == nullptr ? worker.team->loops.first : before->next;
  Loop* const loop = loop_behind(link, worker, request);
  worker.loop = loop;
  if (before != nullptr) go_on_from(*before, *worker.team);
  worker.loop_lane = &loop->lanes[worker.id.index()];
  worker.loop_locality = Locality::local;
  worker.had_last_chunk = false;
  worker.loop_lane->arrive();
  return *loop;
}

LoopRange next_iterations(Worker& worker) noexcept {
  const decide::LoopShape& shape = worker.loop->shape;
  LoopRange chunks = worker.loop_lane->take(shape, worker.loop->wide);
  if (chunks.size() == 0) {
    chunks = take_of_others(worker);
    if (chunks.size() == 0) return {};
  }
  const LoopRange iterations = shape.iterations_of(chunks);
  worker.loop_taken += iterations.size();
  return iterations;
}

void end_loops(Team& team) noexcept {
  if (team.loops.first.load(std::memory_order_relaxed) == nullptr) return;
  team.loops.first.store(nullptr, std::memory_order_relaxed);
  // All are free again, also those that some threads have not gone on from.
  const std::lock_guard lock(team.loops.lock);
  team.loops.free = team.loops.made;
  for (Loop* loop = team.loops.made; loop != nullptr; loop = loop->next_made) {
    loop->next_free = loop->next_made;
  }
}

}  // namespace lares::runtime
