// How a worksharing loop's iterations are divided: which worker each is at home with, what a worker
// takes of its own, and whom it robs when it has nothing left.
//
// Iterations are counted from 0. What moves between workers are whole chunks, as the standard asks
// (OpenMP 5.2, 11.5.3): each has the size that the program asked for, but for the last one.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/ids.hpp"
#include "policy/loop_choice.hpp"

namespace lares::decide {

/// Whole chunks, or iterations: [begin, end).
struct LoopRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  [[nodiscard]] std::uint64_t size() const noexcept { return end > begin ? end - begin : 0; }
  bool operator==(const LoopRange&) const = default;
};

/// What `schedule(static)` gives each thread: the first `rest` of them have one more than `each`.
/// Divides once, since short loops feel it.
struct StaticParts {
  std::uint64_t each = 0;
  std::uint64_t rest = 0;

  StaticParts() = default;
  StaticParts(std::uint64_t iterations, std::size_t threads) noexcept
      : each(iterations / threads), rest(iterations % threads) {}
  /// The first iteration of a thread; of one thread beyond the last: how many there are.
  [[nodiscard]] std::uint64_t begin(std::size_t thread) const noexcept {
    return each * thread + std::min<std::uint64_t>(thread, rest);
  }
  /// The thread that has an iteration.
  [[nodiscard]] std::size_t owner(std::uint64_t iteration) const noexcept {
    const std::uint64_t longer = rest * (each + 1);  // iterations of the threads that have one more
    if (iteration < longer) return static_cast<std::size_t>(iteration / (each + 1));
    return static_cast<std::size_t>(rest + (iteration - longer) / each);
  }
};

/// The index space that a loop is a part of: `before` iterations of it are not the loop's, those of
/// the loop follow, and there are `total` at least up to the loop's end.
struct LoopSpace {
  std::uint64_t before = 0;
  std::uint64_t total = 0;
};

/// How one loop is cut. Its home map is the static one of its space: data that a static loop over
/// the same space initialised, which is what programs do, lies with the worker that has that part
/// here. A domain's part is that of its workers together.
struct LoopShape {
  std::uint64_t iterations = 0;
  std::uint64_t chunk = 1;   ///< 1 to `iterations`, or 1
  std::uint64_t chunks = 0;  ///< of that size, the last one perhaps smaller
  std::size_t workers = 1;
  bool guided = false;
  std::uint64_t before = 0;  ///< iterations of its space
  StaticParts parts;         ///< of its space

  LoopShape() = default;
  /// Any numbers; `workers` at least 1. The loop is a space by itself.
  LoopShape(std::uint64_t count, std::uint64_t asked, std::size_t team, bool shrinking) noexcept
      : LoopShape(count, asked, team, shrinking, {0, count}) {}
  /// `space`: before + count is at most total.
  LoopShape(std::uint64_t count, std::uint64_t asked, std::size_t team, bool shrinking,
            LoopSpace space) noexcept
      : iterations(count),
        chunk(std::clamp<std::uint64_t>(asked, 1, std::max<std::uint64_t>(count, 1))),
        chunks(chunk == 1 || count == 0 ? count : (count - 1) / chunk + 1),
        workers(team),
        guided(shrinking),
        before(space.before),
        parts(space.total, team) {}

  /// The chunks that are at home with a worker: those whose middle iteration is in its static part.
  [[nodiscard]] LoopRange home_part(std::size_t worker) const noexcept {
    return {first_chunk(worker), first_chunk(worker + 1)};
  }
  /// The same without the loop's last chunk, which is for whoever sees the end of all others.
  [[nodiscard]] LoopRange first_range(std::size_t worker) const noexcept {
    LoopRange part = home_part(worker);
    if (part.end == chunks && part.size() > 0) --part.end;
    return part;
  }
  /// Whose part a chunk is in.
  [[nodiscard]] std::size_t home_of(std::uint64_t chunk_number) const noexcept {
    const std::uint64_t first = chunk_number * chunk;
    return parts.owner(before + first + std::min((chunk - 1) / 2, iterations - 1 - first));
  }
  [[nodiscard]] LoopRange iterations_of(LoopRange range) const noexcept {
    return {range.begin * chunk, range.end == chunks ? iterations : range.end * chunk};
  }
  /// How many of its `left` chunks a worker takes at once: one, or two thirds of them, so that
  /// guided loops begin with large pieces and end with small ones. (Where one counter feeds all, as
  /// in the stock runtimes, the first piece is a thread's whole share.) At least 1 of at least 1.
  [[nodiscard]] std::uint64_t to_take(std::uint64_t left) const noexcept {
    return guided ? left - left / 3 : 1;
  }

 private:
  [[nodiscard]] std::uint64_t first_chunk(std::size_t worker) const noexcept {
    const std::uint64_t in_space = parts.begin(worker);
    if (in_space <= before) return 0;
    const std::uint64_t begin = std::min(in_space - before, iterations);
    if (chunk == 1) return begin;
    if (begin == iterations) return chunks;
    return begin / chunk + (begin % chunk >= chunk - chunk / 2 ? 1 : 0);
  }
};

/// How many of a victim's `left` chunks a thief takes, from the end: half, and the last one whole.
constexpr std::uint64_t to_steal(std::uint64_t left) noexcept { return left - left / 2; }

/// A loop as a thief sees it. What it sees may be over by the time it acts: then it looks again.
template <class L>
concept LoopLook = requires(L look, WorkerId worker, DomainId domain, std::uint32_t bound) {
  { look.left(worker) } -> std::convertible_to<std::uint64_t>;  // chunks of that worker
  { look.is_late(worker) } -> std::convertible_to<bool>;        // it has not come to the loop yet
  { look.has_come(worker) } -> std::convertible_to<bool>;       // it has, for certain
  { look.home_of_last() } -> std::convertible_to<WorkerId>;     // of the chunk in nobody's range
  { look.last_is_left() } -> std::convertible_to<bool>;         // that chunk
  { look.workers_in(domain) } -> std::convertible_to<std::span<const WorkerId>>;
  { look.nearest_first() } -> std::convertible_to<std::span<const DomainId>>;  // own domain first
  { look.random_below(bound) } -> std::convertible_to<std::uint32_t>;
};

/// Whom a thief is to rob: a worker, and what it has left. Nobody if that is 0: then there is the
/// loop's last chunk, if that is left.
///
/// The only chunk of a worker that has not come yet is spared for a while: it is home for most
/// loops' only chunk, and the worker is most often about to come. It is taken in the end all the
/// same: a program may make a thread wait for iterations of a loop that it has not come to.
struct LoopVictim {
  WorkerId worker;
  std::uint64_t left = 0;
  bool spared = false;  ///< there is nothing but such
};

/// The worker of a domain that has most left.
template <LoopLook L>
LoopVictim richest_in(L& look, DomainId domain) {
  LoopVictim best;
  for (const WorkerId worker : look.workers_in(domain)) {
    const std::uint64_t left = look.left(worker);
    if (left == 0 || (left <= best.left && !best.spared)) continue;
    const bool spared = left == 1 && look.is_late(worker);
    if (best.left == 0 || !spared) best = {worker, left, spared};
  }
  return best;
}

/// Whom to rob in the other domains, once the own one has nothing left.
template <LoopLook L>
LoopVictim victim_elsewhere(L& look, policy::LoopSteal steal) {
  const std::span<const DomainId> others = look.nearest_first().subspan(1);
  if (others.empty()) return {};
  std::size_t start = 0;
  if (steal == policy::LoopSteal::random) {
    start = look.random_below(static_cast<std::uint32_t>(others.size()));
  }
  LoopVictim best;
  for (std::size_t i = 0; i < others.size(); ++i) {
    const LoopVictim found = richest_in(look, others[(start + i) % others.size()]);
    const bool better = best.spared ? found.left > 0 && !found.spared : found.left > best.left;
    if (better) best = found;
    if (steal != policy::LoopSteal::most_loaded && best.left > 0 && !best.spared) break;
  }
  return best;
}

/// True if a thief better takes the loop's last chunk, after which it may take nothing: it is at
/// home in the thief's domain, and no other domain has a worker with more than one chunk left, or
/// one that may never come for it. So even loops of few chunks stay at home if all are equally
/// fast.
template <LoopLook L>
bool is_last_for(L& look) {
  if (!look.last_is_left()) return false;
  const std::span<const DomainId> domains = look.nearest_first();
  const std::span<const WorkerId> mates = look.workers_in(domains.front());
  if (std::find(mates.begin(), mates.end(), look.home_of_last()) == mates.end()) return false;
  return std::all_of(domains.begin() + 1, domains.end(), [&](DomainId domain) {
    const std::span<const WorkerId> workers = look.workers_in(domain);
    return std::all_of(workers.begin(), workers.end(), [&](WorkerId worker) {
      const std::uint64_t left = look.left(worker);
      return left == 0 || (left == 1 && look.has_come(worker));
    });
  });
}

/// Whom a worker robs that has nothing left itself. No iteration leaves its domain for a thief of
/// another one whose own domain has some at home: the other domains are looked at only after every
/// worker of the own one was seen without anything to take, and the loop's last chunk
/// (is_last_for) where that is at home.
template <LoopLook L>
LoopVictim find_loop_victim(L& look, policy::LoopSteal steal) {
  LoopVictim found = richest_in(look, look.nearest_first().front());
  if (found.left == 0) {
    found = victim_elsewhere(look, steal);
    if (found.left == 1 && is_last_for(look)) found = {};
  }
  if (found.left == 0) found.spared = look.last_is_left() && look.is_late(look.home_of_last());
  return found;
}

}  // namespace lares::decide
