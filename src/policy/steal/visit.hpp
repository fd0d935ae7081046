// Steps that several steal policies are made of.
#pragma once

#include <cstdint>

#include "policy/order.hpp"
#include "policy/policy.hpp"

namespace lares::policy::steal {

/// The most places that a round draws from the whole team, where the strategy itself sets no end:
/// then the executor looks up (is the work done? is it time to park?) before it asks again.
inline constexpr std::uint32_t draws_per_round = 16;

/// Lists the place of `domain`.
inline void visit_domain(const View& view, DomainId domain, Victims& victims) noexcept {
  victims.add(view.places.of(domain));
}

/// Lists the places of the workers of `domain` but the asking one, from a random one on.
inline void visit_workers(const View& view, DomainId domain, Victims& victims) noexcept {
  const auto workers = view.places.workers_in(domain);
  if (workers.empty()) return;
  Sweep sweep(view.random, static_cast<std::uint32_t>(workers.size()));
  for (std::uint32_t i = 0; i < sweep.size(); ++i) {
    const WorkerId worker = workers[sweep.next()];
    if (worker != view.self) victims.add(view.places.of(worker));
  }
}

/// A random domain with workers other than that of the asking worker; invalid if there is none.
inline DomainId random_other_domain(const View& view) noexcept {
  const auto domains = view.places.domains_with_workers();
  if (domains.size() < 2) return DomainId{};
  // Draw among all but the last, and let the last stand in for the own one: every other domain is
  // equally likely.
  const DomainId drawn = domains[view.random.below(static_cast<std::uint32_t>(domains.size() - 1))];
  return drawn == view.places.domain_of(view.self) ? domains.back() : drawn;
}

}  // namespace lares::policy::steal
