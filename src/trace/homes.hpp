// Where data was that nobody looked up while the program ran.
#pragma once

#include "trace/trace.hpp"

namespace lares::trace {

/// Completes Access::home. Where domains are NUMA nodes a home that the run told stays, and data
/// that was not there yet is at home where it was written first (first touch); where they are
/// caches, data is where it was written last. Grains whose home the scheduler did not ask for, as
/// policies without data do, get that of most of their data, and their locality by it. O(grains log
/// grains + accesses).
void complete_homes(Trace& trace);

}  // namespace lares::trace
