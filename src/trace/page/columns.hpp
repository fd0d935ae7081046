// The long lists of a run, as columns of numbers that the page unpacks; see docs/report-page.md.
#pragma once

#include <cstddef>
#include <ostream>

#include "trace/page/page.hpp"

namespace lares::trace::page {

/// Writes run number `run`'s grains, waits, visits to loops, regions, moves, critical path and
/// traffic: a script element of a type that browsers do not run per column, and one per table that
/// says how long it is.
void write_columns(std::ostream& out, std::size_t run, const PageRun& what);

}  // namespace lares::trace::page
