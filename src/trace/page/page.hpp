// `lares report --html`: a traced run as one HTML file.
#pragma once

#include <ostream>
#include <span>

#include "trace/findings/findings.hpp"
#include "trace/model/least_times.hpp"
#include "trace/trace.hpp"

namespace lares::trace {

/// A run to show, what was found in it, and what its bytes take at least if a measured machine was
/// given, else null. All must outlive the call.
struct PageRun {
  const Trace& trace;
  const Findings& findings;
  const LeastTimes* model = nullptr;
};

/// Writes one HTML file that opens from disk and asks nothing of the network: of one run, or of two
/// side by side; further ones are left out. Everything that the trace holds is in it, to the
/// nanosecond. Names are data there, never markup. Failures to write are the stream's state.
void write_page(std::ostream& out, std::span<const PageRun> runs);

}  // namespace lares::trace
