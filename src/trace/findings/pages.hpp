// Which thread came to which pages first, against which domains use them.
#pragma once

#include "trace/findings/findings.hpp"

namespace lares::trace {

/// Rows of PageFindings are made so that about as many come of all memory.
inline constexpr std::size_t wanted_page_rows = 48;

/// Fills in `pages`; leaves them empty if the trace does not know touches.
void add_pages(const Trace& trace, Findings& findings);

}  // namespace lares::trace
