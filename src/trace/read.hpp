// Reads what a traced run left.
#pragma once

#include <string>

#include "base/result.hpp"
#include "trace/trace.hpp"

namespace lares::trace {

/// The trace in the folder `directory`. An Error says what is missing or damaged.
Result<Trace> read_trace(const std::string& directory);

}  // namespace lares::trace
