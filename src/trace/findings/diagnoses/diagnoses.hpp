// What costs time in a run, each with its evidence, from when on it is said, what to do, and what
// that would gain. Thresholds follow grain graphs (Muddukrishna et al. 2016) where those have one;
// docs/report.md says of each why it is where it is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trace/findings/findings.hpp"

namespace lares::trace {

/// A diagnosis gets a trace, and findings that have everything but diagnoses and the verdict.
/// Nothing: the run does not have it.
using Diagnose = std::optional<Diagnosis> (*)(const Trace& trace, const Findings& findings);

// Of grains' sizes.
std::optional<Diagnosis> too_fine(const Trace& trace, const Findings& findings);
std::optional<Diagnosis> too_coarse(const Trace& trace, const Findings& findings);
// Of how work comes to be.
std::optional<Diagnosis> one_creator(const Trace& trace, const Findings& findings);
std::optional<Diagnosis> kept_back(const Trace& trace, const Findings& findings);
std::optional<Diagnosis> serial_phases(const Trace& trace, const Findings& findings);
std::optional<Diagnosis> imbalance(const Trace& trace, const Findings& findings);
std::optional<Diagnosis> waits_for_children(const Trace& trace, const Findings& findings);
// Of where it runs.
std::optional<Diagnosis> far_from_data(const Trace& trace, const Findings& findings);
std::optional<Diagnosis> data_in_one_domain(const Trace& trace, const Findings& findings);
std::optional<Diagnosis> false_homes(const Trace& trace, const Findings& findings);
std::optional<Diagnosis> saturated_memory(const Trace& trace, const Findings& findings);
// Of how it was started.
std::optional<Diagnosis> unbound_threads(const Trace& trace, const Findings& findings);
std::optional<Diagnosis> more_threads_than_cores(const Trace& trace, const Findings& findings);
std::optional<Diagnosis> disturbed(const Trace& trace, const Findings& findings);
std::optional<Diagnosis> kernel_moves_pages(const Trace& trace, const Findings& findings);
std::optional<Diagnosis> several_runtimes(const Trace& trace, const Findings& findings);

/// All of them, the worst first.
std::vector<Diagnosis> diagnose(const Trace& trace, const Findings& findings);

/// Threads that were in a region, and what they had together: its wall time times their number.
struct Together {
  std::size_t threads = 0;
  Time time = 0;
};
Together together(const Trace& trace, const Findings& findings);

/// The construct's place, or "an unknown construct".
std::string place_of(const Trace& trace, Index construct);

}  // namespace lares::trace
