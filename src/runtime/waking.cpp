#include "runtime/waking.hpp"

#include <algorithm>
#include <climits>

#include "runtime/futex.hpp"

namespace lares::runtime {

void notify(Team& team, DomainId domain) noexcept {
  // Pairs with heavy_fence in waiting.cpp: either we see the sleeper or it sees the task.
  light_fence();
  const std::uint32_t sleepers = team.total_sleepers.load(std::memory_order_relaxed);
  if (sleepers == 0) return;
  if (team.waking.load(std::memory_order_relaxed) != 0) return;
  // Awake workers already fill the cores: one more would only take turns with them.
  if (team.size() - std::min<std::size_t>(sleepers, team.size()) >= team.cores) return;
  for (const DomainId candidate : team.places->nearest_first(domain)) {
    SleepingPlace& place = team.sleeping[candidate.index()];
    if (place.sleepers.load(std::memory_order_relaxed) == 0) continue;
    team.waking.store(1, std::memory_order_relaxed);
    place.word.fetch_add(1, std::memory_order_release);
    if (futex_wake(place.word, 1) == 0) team.waking.store(0, std::memory_order_relaxed);
    return;
  }
}

void wake_domain(Team& team, DomainId domain) noexcept {
  SleepingPlace& place = team.sleeping[domain.index()];
  place.word.fetch_add(1, std::memory_order_release);
  if (place.sleepers.load(std::memory_order_seq_cst) != 0) futex_wake(place.word, INT_MAX);
}

void wake_team(Team& team) noexcept {
  for (std::size_t i = 0; i < team.sleeping.size(); ++i) wake_domain(team, DomainId{i});
}

}  // namespace lares::runtime
