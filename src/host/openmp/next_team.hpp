// Memory that waits for the next team (lares_set_next_team_affinity in liblares).
#pragma once

#include <atomic>
#include <cstddef>

#include "host/openmp/binding.hpp"
#include "host/openmp/bubbles.hpp"
#include "runtime/team.hpp"

namespace lares::omp {

/// lares_team_starts of liblares: told in which domain each member of a team runs.
using TeamStarts = int (*)(const int* domains, std::size_t members);

/// Null nearly always: set by liblares when the program has a wish, from any thread, and taken by
/// the thread that makes the next team.
extern std::atomic<TeamStarts> g_next_team;

/// Whether memory waits for the next team. One load.
inline bool next_team_waits() noexcept {
  return g_next_team.load(std::memory_order_relaxed) != nullptr;
}

/// Whether threads may have to go to their data in the next region: while samples of it wait, and
/// for ever where they have gone. Else a region that came so often tells of repeated work by its
/// begins, which are seen from outside, as the barriers within it are not.
inline bool is_bound_by_data() noexcept {
  return g_binds_by_data &&
         (!g_learning_rests.load(std::memory_order_relaxed) || are_places_exchanged());
}

/// Whether the next region may not be left to the stock runtime, though it makes no tasks.
inline bool next_team_may_be_ours() noexcept {
  return next_team_waits() || bubbles::on() || is_bound_by_data();
}
/// The same of a region of which it is known whether it has ever had several threads: one thread
/// alone needs no place. Whoever leaves it to the stock runtime calls note_team().
inline bool next_team_is_ours(const runtime::RegionHint& hint) noexcept {
  if (next_team_waits() || is_bound_by_data()) return true;
  return bubbles::on() && hint.has_had_team.load(std::memory_order_relaxed);
}
/// So many threads run a region. With a bubble scheduler the next one is placed, if it was left to
/// the stock runtime.
inline void note_team(runtime::RegionHint& hint, std::size_t size) noexcept {
  if (size < 2 || hint.has_had_team.load(std::memory_order_relaxed)) return;
  hint.has_had_team.store(true, std::memory_order_relaxed);
  runtime::tell_region_news();
}

/// A thread of `outer` has made a team of so many threads.
inline void note_inner_team(runtime::Team& outer, std::size_t size) noexcept {
  if (outer.hint == nullptr) return;
  // relaxed: tells how to wait. Of two that raise it one may be lost until the next team is made.
  std::atomic<std::uint32_t>& most = outer.hint->inner_threads;
  if (size > most.load(std::memory_order_relaxed)) {
    most.store(static_cast<std::uint32_t>(size), std::memory_order_relaxed);
  }
}

/// Threads wait at a barrier within the region.
inline void note_barrier(runtime::RegionHint& hint) noexcept {
  if (hint.has_barriers.load(std::memory_order_relaxed)) return;
  hint.has_barriers.store(true, std::memory_order_relaxed);
}

/// Null, or the function to tell; each wish is taken once.
inline TeamStarts take_next_team() noexcept {
  // acquire: the wish was written down before.
  return next_team_waits() ? g_next_team.exchange(nullptr, std::memory_order_acquire) : nullptr;
}

/// Tells it. After the meeting of the team's threads: their domains are known.
void tell_team(TeamStarts starts, const runtime::Team& team);

}  // namespace lares::omp
