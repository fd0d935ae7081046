#include "host/openmp/next_team.hpp"

#include <vector>

#include "host/openmp/region.hpp"

namespace lares::omp {

std::atomic<TeamStarts> g_next_team{nullptr};

void tell_team(TeamStarts starts, const runtime::Team& team) {
  std::vector<int> domains;
  domains.reserve(team.size());
  for (const auto& worker : team.members()) domains.push_back(worker->domain.value());
  starts(domains.data(), domains.size());
}

}  // namespace lares::omp

/// 1 if `starts` will be called once, by a thread of the next team before the program's code for it
/// runs; 0 if no team will ever be ours. Thread safety: any thread.
LARES_EXPORT int lares_runtime_at_next_team(lares::omp::TeamStarts starts) {
  if (!lares::omp::active()) return 0;
  lares::omp::g_next_team.store(starts, std::memory_order_release);  // release: the wish first
  lares::runtime::tell_region_news();
  return 1;
}
