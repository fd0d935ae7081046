// What `lares report` prints of a trace.
#pragma once

#include <string>

#include "cli/output.hpp"
#include "trace/findings/findings.hpp"

namespace lares::cli {

/// One run as the command has read it.
struct ReportedRun {
  std::string name;  ///< of its folder
  trace::Trace trace;
  trace::Findings findings;
};

/// The verdict, diagnoses and tables, for people.
std::string report_text(const ReportedRun& run, const Palette& palette);

/// The part of it about pages; "" if the trace does not know them. What it does not show line by
/// line is in its sums.
std::string pages_text(const ReportedRun& run, const Palette& palette);

/// The part of it about memory that moved; "" if none did.
std::string moves_text(const ReportedRun& run, const Palette& palette);

/// Two runs side by side: what changed, for people. Constructs go by their places.
std::string comparison_text(const ReportedRun& before, const ReportedRun& after,
                            const Palette& palette);

/// One JSON object, format version 1 (docs/report.md), indented, with a line end. `after`: another
/// run to compare, or null.
std::string report_json(const ReportedRun& run, const ReportedRun* after);

/// The constructs, a row each (RFC 4180), of one run or two.
std::string report_csv(const ReportedRun& run, const ReportedRun* after);

}  // namespace lares::cli
