#include "runtime/loops.hpp"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <new>

#include "base/clock.hpp"
#include "base/disorder.hpp"
#include "base/raw_memory.hpp"
#include "runtime/engine.hpp"
#include "runtime/record.hpp"
#include "runtime/team.hpp"

namespace lares::runtime {

using decide::LoopRange;

// --- lanes

void LoopLane::set_wide(LoopRange range, LoopStamp stamp) noexcept {
  begin_.store(range.begin, std::memory_order_relaxed);
  end_.store(range.end, std::memory_order_relaxed);
  // release: who looks without the lock and sees the stamp sees no range of an earlier loop.
  wide_stamp_.store(stamp, std::memory_order_release);
}

void LoopLane::begin(LoopRange part, LoopKey key) noexcept {
  come_.store(key.stamp, std::memory_order_relaxed);
  if (key.wide) {
    const std::lock_guard lock(lock_);
    if (is_untouched(key)) set_wide(part, key.stamp);
    return;
  }
  std::uint64_t word = word_.load(std::memory_order_relaxed);
  if (stamp_of(word) == key.stamp) return;
  // If it fails, a thief has begun with the part.
  word_.compare_exchange_strong(word, pack(part, key.stamp), std::memory_order_relaxed);
}

LoopRange LoopLane::take_wide(const decide::LoopShape& shape) noexcept {
  const std::lock_guard lock(lock_);
  const LoopRange all = wide_range();
  if (all.size() == 0) return {};
  const LoopRange taken{all.begin, all.begin + shape.to_take(all.size())};
  begin_.store(taken.end, std::memory_order_relaxed);
  return taken;
}

bool LoopLane::is_untouched(LoopKey key) const noexcept {
  // acquire: as in set_wide().
  if (key.wide) return wide_stamp_.load(std::memory_order_acquire) != key.stamp;
  return stamp_of(word_.load(std::memory_order_relaxed)) != key.stamp;
}

LoopRange LoopLane::look(LoopRange part, LoopKey key) const noexcept {
  if (key.wide) return is_untouched(key) ? part : wide_range();
  const std::uint64_t word = word_.load(std::memory_order_relaxed);
  return stamp_of(word) == key.stamp ? unpack(word) : part;
}

LoopRange LoopLane::steal(LoopRange part, LoopKey key) noexcept {
  if (disorder::fails(disorder::Point::loop_steal)) return {};
  const auto end_of = [](LoopRange all) {
    return LoopRange{all.end - decide::to_steal(all.size()), all.end};
  };
  if (key.wide) {
    const std::lock_guard lock(lock_);
    const LoopRange all = look(part, key);
    if (all.size() == 0) return {};
    const LoopRange stolen = end_of(all);
    set_wide({all.begin, stolen.begin}, key.stamp);
    return stolen;
  }
  std::uint64_t word = word_.load(std::memory_order_relaxed);
  const LoopRange all = stamp_of(word) == key.stamp ? unpack(word) : part;
  if (all.size() == 0) return {};
  const LoopRange stolen = end_of(all);
  const bool won = word_.compare_exchange_strong(word, pack({all.begin, stolen.begin}, key.stamp),
                                                 std::memory_order_relaxed);
  return won ? stolen : LoopRange{};
}

void LoopLane::put(LoopRange range, LoopKey key) noexcept {
  if (!key.wide) return word_.store(pack(range, key.stamp), std::memory_order_relaxed);
  const std::lock_guard lock(lock_);
  set_wide(range, key.stamp);
}

void LoopLane::forget() noexcept {
  word_.store(0, std::memory_order_relaxed);
  last_.store(0, std::memory_order_relaxed);
  come_.store(0, std::memory_order_relaxed);
  wide_stamp_.store(0, std::memory_order_relaxed);
}

namespace {

// --- the chain of segments

std::size_t lane_count(const Team& team) noexcept { return team.capacity() * LoopSegment::loops; }

LoopSegment* new_segment(Team& team) noexcept {
  const std::size_t count = lane_count(team);
  void* const memory = std::aligned_alloc(alignof(LoopLane), sizeof(LoopLane) * count);
  if (memory == nullptr) std::abort();  // as need_memory
  auto* const segment = make_raw<LoopSegment>();
  segment->lanes = static_cast<LoopLane*>(memory);
  for (std::size_t i = 0; i < count; ++i) new (segment->lanes + i) LoopLane;
  segment->next_made = team.loops.made;
  team.loops.made = segment;
  return segment;
}

LoopSegment* take_free(LoopChain& chain) noexcept {
  LoopSegment* const segment = chain.free;
  if (segment != nullptr) chain.free = segment->next_free;
  return segment;
}

// Under the chain's lock.
LoopSegment* fresh_segment(Team& team) noexcept {
  LoopSegment* segment = take_free(team.loops);
  if (segment == nullptr) segment = new_segment(team);
  if (++segment->stamp == 0) {
    for (std::size_t i = 0; i < lane_count(team); ++i) segment->lanes[i].forget();
    for (auto& decided : segment->decided) decided.store(0, std::memory_order_relaxed);
    segment->stamp = 1;
  }
  segment->next.store(nullptr, std::memory_order_relaxed);
  segment->gone.store(0, std::memory_order_relaxed);
  return segment;
}

// The segment behind `link`, made by whoever comes there first.
LoopSegment* segment_behind(std::atomic<LoopSegment*>& link, Team& team) noexcept {
  // acquire: the segment as it was made.
  LoopSegment* segment = link.load(std::memory_order_acquire);
  if (segment != nullptr) return segment;
  const std::lock_guard lock(team.loops.lock);
  segment = link.load(std::memory_order_relaxed);
  if (segment == nullptr) {
    segment = fresh_segment(team);
    disorder::late(disorder::Point::loop_made);
    link.store(segment, std::memory_order_release);
  }
  return segment;
}

void go_on_from(LoopSegment& segment, Team& team) noexcept {
  // acq_rel: the last one to go sees that all others have done with its loops.
  if (segment.gone.fetch_add(1, std::memory_order_acq_rel) + 1 != team.size()) return;
  const std::lock_guard lock(team.loops.lock);
  segment.next_free = team.loops.free;
  team.loops.free = &segment;
}

// The worker's next place in the chain.
void step(Worker& worker) noexcept {
  WorkerLoop& loop = worker.loop;
  LoopSegment* const before = loop.segment;
  if (before != nullptr && ++loop.index < LoopSegment::loops) return;
  if (before == nullptr) loop.spaces.clear();
  loop.segment =
      segment_behind(before == nullptr ? worker.team->loops.first : before->next, *worker.team);
  loop.index = 0;
  loop.key.stamp = loop.segment->stamp;
  if (before != nullptr) go_on_from(*before, *worker.team);
}

// --- what a variable says

constexpr unsigned stamp_shift = 56;
constexpr std::uint64_t guided_bit = std::uint64_t{1} << 32U;
constexpr std::uint64_t stock_bit = std::uint64_t{1} << 33U;

std::uint64_t packed(const LoopRequest& request, LoopStamp stamp) noexcept {
  return std::min<std::uint64_t>(request.chunk, UINT32_MAX) | (request.guided ? guided_bit : 0) |
         (request.left_to_stock ? stock_bit : 0) | std::uint64_t{stamp} << stamp_shift;
}

// relaxed: the word is all that is passed on.
LoopRequest as_the_first_read(const WorkerLoop& loop, LoopRequest request) noexcept {
  std::atomic<std::uint64_t>& decided = loop.segment->decided[loop.index];
  std::uint64_t word = decided.load(std::memory_order_relaxed);
  if (word >> stamp_shift != loop.key.stamp) {
    const std::uint64_t own = packed(request, loop.key.stamp);
    if (decided.compare_exchange_strong(word, own, std::memory_order_relaxed)) word = own;
  }
  request.chunk = word & UINT32_MAX;
  request.guided = (word & guided_bit) != 0;
  request.left_to_stock = (word & stock_bit) != 0;
  return request;
}

// --- thieves

/// What nobody has begun with of a worker's part, for a look at its lane.
LoopRange untouched_part(const WorkerLoop& loop, WorkerId of) noexcept {
  return loop.lane_of(of).is_untouched(loop.key) ? loop.shape.first_range(of.index()) : LoopRange{};
}

/// The worker's loop, for decide::find_loop_victim.
struct Look {
  Worker& worker;
  WorkerId last{worker.loop.shape.home_of(worker.loop.shape.chunks - 1)};

  [[nodiscard]] std::uint64_t left(WorkerId of) const noexcept {
    const WorkerLoop& loop = worker.loop;
    return loop.lane_of(of).look(untouched_part(loop, of), loop.key).size();
  }
  /// Or a thief has begun with its part: then it has less than most.
  [[nodiscard]] bool is_late(WorkerId of) const noexcept {
    return worker.loop.lane_of(of).is_untouched(worker.loop.key);
  }
  [[nodiscard]] bool has_come(WorkerId of) const noexcept {
    return worker.loop.lane_of(of).has_come(worker.loop.key);
  }
  [[nodiscard]] WorkerId home_of_last() const noexcept { return last; }
  [[nodiscard]] bool last_is_left() const noexcept {
    return worker.loop.lane_of(last).last_is_left(worker.loop.key);
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
  WorkerLoop& loop = worker.loop;
  if (loop.taken == 0) return;
  if (worker.counters != nullptr) {
    worker.counters->loop_iterations[static_cast<std::size_t>(loop.locality)].add(loop.taken);
  }
  loop.taken = 0;
}

Locality locality_of(const Worker& worker, std::uint64_t chunk) noexcept {
  const WorkerId home{worker.loop.shape.home_of(chunk)};
  if (home == worker.id) return Locality::local;
  return worker.team->places->domain_of(home) == worker.domain ? Locality::same_domain
                                                               : Locality::remote;
}

/// What is left of a late worker is best taken by itself: it gets a moment, some microseconds in
/// all. Looks at first follow each other closely, since most often it is about to come. Where
/// threads share cores it may be waiting for this one's.
class LateOwner {
 public:
  /// False if it is at its end.
  bool wait_for(Worker& worker) noexcept {
    if (worker.team->is_crowded()) return waits_++ == 0 && worker.courtesy.yield();
    if (waits_ == most) return false;
    for (unsigned i = 0; i < 1U << waits_; ++i) relax();
    ++waits_;
    return true;
  }

 private:
  static constexpr unsigned most = 8;
  unsigned waits_ = 0;
};

LoopRange steal_from(Worker& worker, WorkerId victim) noexcept {
  const WorkerLoop& loop = worker.loop;
  const LoopRange range = loop.lane_of(victim).steal(untouched_part(loop, victim), loop.key);
  if (range.size() == 0 || worker.counters == nullptr) return range;
  const DomainId from = worker.team->places->domain_of(victim);
  worker.counters->loop_steals[distance_rank(worker, from)].add(1);
  return range;
}

LoopRange take_last(WorkerLoop& loop, WorkerId home) noexcept {
  if (!loop.lane_of(home).take_last(loop.key)) return {};
  loop.had_last = true;
  return {loop.shape.chunks - 1, loop.shape.chunks};
}

/// A range of another worker, or the last chunk; empty if nothing was left to be seen. Whoever
/// loses a race for a range looks again: somebody else has won it, so the team as a whole goes on.
LoopRange rob(Worker& worker) noexcept {
  Look look{worker};
  if (worker.loop.shape.workers == 1) return take_last(worker.loop, look.last);
  const policy::LoopSteal steal = Engine::instance().loops().steal;
  for (LateOwner late;;) {
    const decide::LoopVictim victim = decide::find_loop_victim(look, steal);
    if (victim.spared && late.wait_for(worker)) continue;
    if (victim.left == 0) return take_last(worker.loop, look.last);
    const LoopRange range = steal_from(worker, victim.worker);
    if (range.size() > 0) return range;
  }
}

std::uint32_t workers_of_largest_domain(const Team& team) noexcept {
  std::size_t most = 1;
  for (const DomainId domain : team.places->domains_with_workers()) {
    most = std::max(most, team.places->workers_in(domain).size());
  }
  return static_cast<std::uint32_t>(most);
}

// True if the loop runs on fewer workers of the domain than to have this one among them.
bool shall_abstain(const Worker& worker) noexcept {
  const std::uint32_t width = worker.team->loops.widths.of(worker.loop.name);
  const std::span<const WorkerId> mates = worker.team->places->workers_in(worker.domain);
  const auto rank = std::find(mates.begin(), mates.end(), worker.id) - mates.begin();
  return static_cast<std::uint64_t>(rank) >= width;
}

// Whether loops of that site may run on fewer workers.
bool is_moldable(const WorkerLoop& loop) noexcept {
  return loop.name.site != 0 && Engine::instance().loops().moldable;
}

// The worker has come to a loop that others share.
void begin_loop(Worker& worker, std::uintptr_t site) noexcept {
  WorkerLoop& loop = worker.loop;
  loop.weight = loop.sampling.next();
  loop.name = {site, loop.shape.iterations, loop.shape.chunk, loop.shape.workers};
  const bool moldable = is_moldable(loop);
  if (loop.weight != 0 || moldable) loop.since = ticks();
  loop.abstains = moldable && shall_abstain(worker);
}

// Nothing of the loop is left for this worker.
void end_loop(Worker& worker) noexcept {
  WorkerLoop& loop = worker.loop;
  loop.is_over = true;
  if (loop.shape.workers == 1) return;
  const bool teaches = worker.id == WorkerId{0} && is_moldable(loop);
  worker.loop_wait_weight = loop.weight;
  if (loop.weight == 0 && !teaches) return;
  const std::uint64_t taken = ticks() - loop.since;
  if (worker.counters != nullptr) worker.counters->loop_ticks.add(loop.weight * taken);
  if (!teaches) return;
  worker.team->loops.widths.ran(loop.name, workers_of_largest_domain(*worker.team), taken);
}

// A range of another worker, or the last chunk, while there is something.
LoopRange rob_if_any(Worker& worker) noexcept {
  const WorkerLoop& loop = worker.loop;
  if (loop.had_last || loop.abstains || loop.is_over || loop.shape.chunks == 0) return {};
  return rob(worker);
}

// Nothing is left of the worker's own: the first of what another has, and the rest into its word.
LoopRange take_of_others(Worker& worker) noexcept {
  WorkerLoop& loop = worker.loop;
  count_taken(worker);
  const LoopRange range = rob_if_any(worker);
  if (range.size() == 0) {
    if (!loop.is_over) end_loop(worker);
    return {};
  }
  loop.locality = locality_of(worker, range.begin);  // a range is always of one home
  const LoopRange taken{range.begin, range.begin + loop.shape.to_take(range.size())};
  disorder::pause(disorder::Point::loop_stolen);
  if (taken.end < range.end) loop.lane->put({taken.end, range.end}, loop.key);
  return taken;
}

// The space of the loop that the worker has come to. Every thread of the team comes to the same
// loops in the same order, so each finds the same.
decide::LoopSpace space_of(Worker& worker, const LoopRequest& request) noexcept {
  const std::uint64_t iterations = request.iterations;
  if (worker.team->size() == 1) return {0, iterations};
  const LoopBounds& bounds = request.bounds;
  const std::uint64_t end = bounds.first + iterations * bounds.step;
  return decide::space_of({end, bounds.step, iterations}, worker.team->loops.spaces,
                          worker.loop.spaces);
}

// One thread has nobody to share with, and takes all at once unless each chunk's time is recorded.
std::uint64_t chunk_for(const Worker& worker, const LoopRequest& request) noexcept {
  if (worker.team->size() == 1 && !record::is_on(worker)) return request.iterations;
  return std::max(request.chunk, Engine::instance().loops().chunk);
}

}  // namespace

void LoopWidths::ran(const decide::LoopName& name, std::uint32_t most,
                     std::uint64_t ticks) noexcept {
  Row& row = rows_[name.row(bits)];
  if (row.name != name) {
    row.name = name;
    row.search = decide::LoopWidth(most);
    row.site.store(name.site, std::memory_order_relaxed);
  }
  row.search.ran(ticks);
  row.width.store(row.search.width(), std::memory_order_relaxed);
}

const WorkerLoop& enter_loop(Worker& worker, const LoopRequest& asked) noexcept {
  WorkerLoop& loop = worker.loop;
  step(worker);
  const LoopRequest request = asked.by_variable ? as_the_first_read(loop, asked) : asked;
  loop.left_to_stock = request.left_to_stock;
  if (loop.left_to_stock) return loop;
  loop.bounds = request.bounds;
  loop.shape = decide::LoopShape(request.iterations, chunk_for(worker, request),
                                 worker.team->size(), request.guided, space_of(worker, request));
  loop.key.wide = loop.shape.chunks > LoopLane::most_in_word;
  loop.had_last = loop.abstains = loop.is_over = false;
  loop.locality = Locality::local;
  loop.lane = &loop.lane_of(worker.id);
  loop.lane->begin(loop.shape.first_range(worker.id.index()), loop.key);
  if (loop.shape.workers > 1) begin_loop(worker, request.site);
  if (worker.id == WorkerId{0} && worker.counters != nullptr) worker.counters->loops.add(1);
  record::comes_to_loop(worker, request.site);
  return loop;
}

namespace {

LoopRange find_iterations(Worker& worker) noexcept {
  WorkerLoop& loop = worker.loop;
  LoopRange chunks{};
  if (!loop.abstains) chunks = loop.lane->take(loop.shape, loop.key.wide);
  if (chunks.size() == 0) {
    chunks = take_of_others(worker);
    if (chunks.size() == 0) return {};
  }
  const LoopRange iterations = loop.shape.iterations_of(chunks);
  loop.taken += iterations.size();
  return iterations;
}

[[gnu::noinline]] LoopRange find_and_record(Worker& worker) noexcept {
  record::write_asked(worker);
  const LoopRange iterations = find_iterations(worker);
  record::write_chunk(worker, iterations);
  return iterations;
}

}  // namespace

LoopRange next_iterations(Worker& worker) noexcept {
  return record::is_on(worker) ? find_and_record(worker) : find_iterations(worker);
}

void end_loops(Team& team) noexcept {
  if (team.loops.first.load(std::memory_order_relaxed) == nullptr) return;
  team.loops.first.store(nullptr, std::memory_order_relaxed);
  team.loops.spaces.put_all(team.workers[0]->loop.spaces);
  // All are free again, also those that some threads have not gone on from.
  const std::lock_guard lock(team.loops.lock);
  team.loops.free = team.loops.made;
  for (LoopSegment* segment = team.loops.made; segment != nullptr; segment = segment->next_made) {
    segment->next_free = segment->next_made;
  }
}

}  // namespace lares::runtime
