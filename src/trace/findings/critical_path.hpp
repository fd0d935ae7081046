// The longest chain of work that had to follow each other: no schedule on any number of cores is
// faster (Graham 1966; Blumofe and Leiserson 1999 call it the span).
#pragma once

#include "trace/findings/findings.hpp"

namespace lares::trace {

/// Fills in `critical_path`, `critical` and the constructs' parts of it. A grain follows what its
/// creator did before it created it, and the grain whose end made it ready; one that waits for its
/// children ends after them. Regions follow each other. What a region's own code does before it
/// creates a task counts, too. O(grains log grains).
void add_critical_path(const Trace& trace, Findings& findings);

}  // namespace lares::trace
