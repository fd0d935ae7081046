#include "model/team.hpp"

#include <algorithm>
#include <string>

namespace lares::model {

Result<Team> spread_team(const machine::Machine& machine, std::uint32_t threads) {
  const std::size_t cores = machine.cores.size();
  if (threads == 0 || threads > cores) {
    return Error{"the machine has " + std::to_string(cores) + (cores == 1 ? " core" : " cores") +
                 ", so it cannot have a team of " + std::to_string(threads) +
                 " threads with a core for each"};
  }
  std::vector<DomainId> places;
  for (const machine::Core& core : machine.cores) places.push_back(core.domain);
  std::sort(places.begin(), places.end());
  Team team{std::vector<std::uint32_t>(machine.domains.size(), 0), threads};
  for (std::size_t i = 0; i < threads; ++i) ++team.of_domain[places[i * cores / threads].index()];
  return team;
}

}  // namespace lares::model
