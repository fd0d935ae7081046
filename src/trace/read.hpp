// Reads a trace folder of `lares run --trace`.
#pragma once

#include <string>

#include "base/result.hpp"
#include "trace/trace.hpp"

namespace lares::trace {

/// An error is a sentence that names what is not there or cannot be read, and what to do. What can
/// be read is answered: a trace whose program was killed, files that end early or are damaged, and
/// processes that have a file of another version are told in Trace::notes. O(bytes).
Result<Trace> read_trace(const std::string& directory);

}  // namespace lares::trace
