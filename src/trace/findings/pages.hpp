// Which thread came to which pages first, against which domains use them.
#pragma once

#include "trace/findings/findings.hpp"

namespace lares::trace {

/// Rows of PageFindings are made so that about as many come of all memory.
inline constexpr std::size_t wanted_page_rows = 48;

/// Empty if the trace does not know touches. O(n log n + pieces * domains), see page_pieces().
PageFindings find_pages(const Trace& trace);

}  // namespace lares::trace
