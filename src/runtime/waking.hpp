// Inside the engine: waking those who sleep because there was nothing to do.
#pragma once

#include "base/ids.hpp"
#include "runtime/team.hpp"

namespace lares::runtime {

/// Wakes a sleeper for a task put into `domain`, if one sleeps and a core is free for it.
void notify(Team& team, DomainId domain) noexcept;
/// Wakes all sleepers of one domain, or of the team.
void wake_domain(Team& team, DomainId domain) noexcept;
void wake_team(Team& team) noexcept;

}  // namespace lares::runtime
