// Figures of a trace by construct, domain and thread, and what went between domains.
#pragma once

#include "trace/findings/findings.hpp"

namespace lares::trace {

/// Fills in `all`, `constructs` (but for their part of the critical path), `domains`, `threads`,
/// `bytes`, `grains`, `work`, `creation`, `idle` and `in_regions`. O(grains log grains).
void add_sums(const Trace& trace, Findings& findings);

/// Fills in `lengths`. O(grains).
void add_lengths(const Trace& trace, Findings& findings);

/// Time that each thread spent in regions. O(waits + regions log regions).
std::vector<Time> time_in_regions(const Trace& trace);

/// Visits what a grain names: `visit(access)` for each access whose home is known.
template <class Visit>
void for_each_home(const Trace& trace, const Grain& grain, const Visit& visit) {
  for (std::size_t i = 0; i < grain.accesses; ++i) {
    const Access& access = trace.accesses[grain.first_access + i];
    if (access.home != no_domain) visit(access);
  }
}

}  // namespace lares::trace
