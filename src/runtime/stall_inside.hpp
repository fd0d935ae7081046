// What the parts of stall.hpp share. A racy look: numbers fit together once nothing moves.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/stall.hpp"

namespace lares::runtime::stall {

/// The newest team; the others follow by `next_known`.
Team* known_teams() noexcept;
const FrontEnd& front_end() noexcept;
/// The thread of --stall.
void start_watching(Nanoseconds limit) noexcept;

/// True once the team's workers and places are complete. From then on they stay so while
/// places_lock is held.
bool has_met(const Team& team) noexcept;

inline std::uint32_t waiting_word(const Worker& worker) noexcept {
  return worker.waits_for.load(std::memory_order_relaxed);
}
inline Wait wait_of(const Worker& worker) noexcept {
  return static_cast<Wait>(waiting_word(worker) & 0xFFU);
}

/// Tasks on a worker's stack.
struct Begun {
  std::uint64_t counted = 0;  ///< that were left for later first
  std::uint64_t at_once = 0;  ///< that their creator ran at once
};
Begun begun_by(const Worker& worker) noexcept;

/// A team's tasks. Under places_lock, of a team that has met.
struct Tally {
  std::uint64_t created = 0;
  std::uint64_t ended = 0;
  std::uint64_t begun = 0;
  std::uint64_t at_once = 0;
  std::uint64_t queued = 0;
  std::uint64_t pending = 0;   ///< ended but for their event
  std::uint64_t excluded = 0;  ///< lack a mutexinoutset lock
  std::size_t inside = 0;      ///< threads in the region

  [[nodiscard]] std::uint64_t deferred() const noexcept {
    return created > ended ? created - ended : 0;
  }
  [[nodiscard]] std::uint64_t open() const noexcept { return deferred() + at_once; }
  /// Whoever is neither begun nor anywhere else has predecessors: nobody counts them.
  [[nodiscard]] std::uint64_t held_back() const noexcept {
    const std::uint64_t elsewhere = begun + queued + pending + excluded;
    return deferred() > elsewhere ? deferred() - elsewhere : 0;
  }
};
Tally tally_of(const Team& team) noexcept;

}  // namespace lares::runtime::stall
