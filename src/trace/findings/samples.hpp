// Which threads touched the pages that were only marked to learn who uses them: `--learn`,
// `--bind by-data` and `--placement follow` look at a few.
#pragma once

#include "trace/findings/findings.hpp"

namespace lares::trace {

/// Sampled pages by threads, in runs of neighbours. A touch is local if the page lay where the
/// toucher ran, else remote; one that several touched, in one turn of the program's work after the
/// other, counts for each. There are no areas. Pure. O(samples log samples).
PageFindings find_samples(const Trace& trace);

}  // namespace lares::trace
