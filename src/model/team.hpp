// Where the threads of a team are.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "machine/machine.hpp"

namespace lares::model {

/// How many threads run in each domain.
struct Team {
  std::vector<std::uint32_t> of_domain;  ///< by DomainId, of all domains
  std::uint32_t size = 0;                ///< their sum, at least 1
};

/// As `lares run` binds a team that is alone: at even distances over the cores, domain after
/// domain. Error: more threads than cores, or none.
Result<Team> spread_team(const machine::Machine& machine, std::uint32_t threads);

}  // namespace lares::model
