#include "model/least_time.hpp"

#include <algorithm>

namespace lares::model {
namespace {

Seconds longest_mean(const WorkDone& work) {
  Seconds longest;
  for (std::size_t d = 0; d < work.busy.size(); ++d) {
    if (work.team.of_domain[d] == 0) continue;
    longest = std::max(longest, work.busy[d] * (1.0 / work.team.of_domain[d]));
  }
  return longest;
}

Verdict verdict_of(double efficiency) {
  if (efficiency >= memory_bound_from) return Verdict::memory_bound;
  return efficiency >= partly_from ? Verdict::partly : Verdict::not_memory_bound;
}

}  // namespace

LeastTime least_time(const Figures& figures, const WorkDone& work) {
  LeastTime least;
  least.measured = longest_mean(work);
  least.if_local = least.measured;
  least.memory = memory_time(figures, work.team, work.streams);
  if (!(least.memory.time.count > 0) || !(least.measured.count > 0)) return least;
  const Seconds local =
      memory_time(figures, work.team, all_local(work.streams, figures.domains())).time;
  least.efficiency = least.memory.time.count / least.measured.count;
  least.verdict = verdict_of(least.efficiency);
  const Seconds moving = std::min(least.memory.time, least.measured);
  const double saved = std::max(0.0, 1 - local.count / least.memory.time.count);
  least.if_local = {least.measured.count - moving.count * saved};
  return least;
}

}  // namespace lares::model
