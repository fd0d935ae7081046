#include "trace/exports/otf2_tasks.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace lares::trace {
namespace {

void keep_each_once(std::vector<Index>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

/// Collects threads without a list as long as the trace.
class ThreadSets {
 public:
  explicit ThreadSets(std::size_t regions) : sets_(regions) {}
  void add(Index region, Index thread) {
    if (region == none || thread == none) return;
    std::vector<Index>& set = sets_[region];
    if (std::find(set.begin(), set.end(), thread) == set.end()) set.push_back(thread);
  }
  std::vector<Index> take(Index region) {
    keep_each_once(sets_[region]);
    return std::move(sets_[region]);
  }

 private:
  std::vector<std::vector<Index>> sets_;
};

}  // namespace

Otf2Tasks::Otf2Tasks(const Trace& trace) : trace_(trace) {
  find_teams();
  find_tasks();
}

void Otf2Tasks::find_teams() {
  ThreadSets sets(trace_.regions.size());
  for (Index r = 0; r < trace_.regions.size(); ++r) sets.add(r, trace_.regions[r].master);
  for (const Wait& wait : trace_.waits) sets.add(wait.region, wait.thread);
  for (const LoopVisit& loop : trace_.loops) sets.add(loop.region, loop.thread);
  for (const Grain& grain : trace_.grains) {
    sets.add(grain.region, grain.thread);
    sets.add(grain.region, creating_thread(grain));
  }

  std::map<std::pair<Index, std::vector<Index>>, Index> known;
  const auto team_with = [&](Index outer, const std::vector<Index>& threads) {
    const auto [at, is_new] =
        known.try_emplace({outer, threads}, static_cast<Index>(teams_.size()));
    if (is_new) teams_.push_back({threads, outer});
    return at->second;
  };
  // Regions are sorted by their begin, so the one around another is known before.
  for (Index r = 0; r < trace_.regions.size(); ++r) {
    const Index outer = trace_.regions[r].outer;
    const bool is_known = outer != none && outer < r;
    team_of_region_.push_back(team_with(is_known ? team_of_region_[outer] : none, sets.take(r)));
  }

  std::map<std::uint32_t, std::vector<Index>> processes;
  for (Index t = 0; t < trace_.threads.size(); ++t) {
    processes[trace_.threads[t].process].push_back(t);
  }
  team_of_thread_.resize(trace_.threads.size());
  for (const auto& [process, threads] : processes) {
    const Index team = team_with(none, threads);
    for (const Index thread : threads) team_of_thread_[thread] = team;
  }
}

void Otf2Tasks::find_tasks() {
  const std::size_t grains = trace_.grains.size();
  first_part_.resize(grains);
  goes_on_.resize(grains);
  tasks_.resize(grains);
  created_.resize(trace_.threads.size());
  for (Index i = 0; i < grains; ++i) {
    Index first = i;
    while (trace_.grains[first].part_of != none) first = trace_.grains[first].part_of;
    first_part_[i] = first;
    const Grain& grain = trace_.grains[i];
    if (grain.part_of != none) goes_on_[grain.part_of] = true;
    if (first == i && !grain.has(grain_flag::is_chunk))
      created_[creating_thread(grain)].push_back(i);
  }
  std::map<std::pair<Index, Index>, std::uint32_t> last_number;  // by team and thread
  for (Index thread = 0; thread < created_.size(); ++thread) {
    std::sort(created_[thread].begin(), created_[thread].end(), [&](Index a, Index b) {
      const Time of_a = trace_.grains[a].created;
      const Time of_b = trace_.grains[b].created;
      return of_a != of_b ? of_a < of_b : a < b;
    });
    for (const Index i : created_[thread]) {
      const Index team = team_of(trace_.grains[i].region, trace_.grains[i].thread);
      tasks_[i] = {team, rank_in(team, thread), ++last_number[{team, thread}]};
    }
  }
}

/// Where the trace does not tell who created it, a region's own code is taken for its master's.
Index Otf2Tasks::creating_thread(const Grain& grain) const {
  if (grain.created_on != none) return grain.created_on;
  if (grain.creator != none) return trace_.grains[grain.creator].thread;
  if (grain.region != none && trace_.regions[grain.region].master != none) {
    return trace_.regions[grain.region].master;
  }
  return grain.thread;
}

std::uint32_t Otf2Tasks::rank_in(Index team, Index thread) const {
  const std::vector<Index>& threads = teams_[team].threads;
  const auto at = std::lower_bound(threads.begin(), threads.end(), thread);
  return static_cast<std::uint32_t>(at - threads.begin());
}

Index Otf2Tasks::team_of(Index region, Index thread) const {
  return region == none ? team_of_thread_[thread] : team_of_region_[region];
}

Otf2Task Otf2Tasks::implicit_task(Index team, Index thread) const {
  return {team, rank_in(team, thread), 0};
}

Otf2Task Otf2Tasks::task_of(Index grain) const { return tasks_[first_part_[grain]]; }

bool Otf2Tasks::is_whole(Index grain) const {
  return trace_.grains[grain].part_of == none && !goes_on_[grain];
}

}  // namespace lares::trace
