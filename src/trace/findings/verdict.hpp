// The run in three sentences: where its time went, where its work met its data, what to do first.
#pragma once

#include <array>
#include <string>

#include "trace/findings/findings.hpp"

namespace lares::trace {

/// Of findings that have everything else.
std::array<std::string, 3> verdict_on(const Trace& trace, const Findings& findings);

}  // namespace lares::trace
