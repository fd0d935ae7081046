// What `lares report` prints of a trace.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cli/output.hpp"
#include "trace/findings/findings.hpp"
#include "trace/model/least_times.hpp"

namespace lares::cli {

/// One run as the command has read it.
struct ReportedRun {
  std::string name;  ///< of its folder
  trace::Trace trace;
  trace::Findings findings;
  std::optional<trace::LeastTimes> model;  ///< if a measured machine was given
};

/// The verdict, diagnoses and tables, for people.
std::string report_text(const ReportedRun& run, const Palette& palette);

/// The part of it about pages; "" if the trace does not know them. What it does not show line by
/// line is in its sums.
std::string pages_text(const ReportedRun& run, const Palette& palette);

/// Bytes, or "-" for none.
std::string part_word(std::uint64_t bytes);

/// A thread, or "others" for none.
std::string thread_word(const ReportedRun& run, trace::Index thread);

/// The part of it about memory and threads that moved; "" if none did.
std::string moves_text(const ReportedRun& run, const Palette& palette);

/// The part of it about least times; "" without a machine.
std::string model_section(const ReportedRun& run, const Palette& palette);

/// The same of two runs.
std::string model_comparison(const ReportedRun& before, const ReportedRun& after,
                             const Palette& palette);

/// Two runs side by side: what changed, for people. Constructs go by their places.
std::string comparison_text(const ReportedRun& before, const ReportedRun& after,
                            const Palette& palette);

/// One JSON object, format version 1 (docs/report.md), indented, with a line end. `after`: another
/// run to compare, or null.
std::string report_json(const ReportedRun& run, const ReportedRun* after);

/// The constructs, a row each (RFC 4180), of one run or two. Four more columns with a machine.
std::string report_csv(const ReportedRun& run, const ReportedRun* after);

/// The text's tables of constructs have no more lines than this.
inline constexpr std::size_t most_constructs = 20;
/// "and 3 more", as a line, if there are more than that.
std::string constructs_left(std::size_t constructs);

/// The place of a construct, as it is in the trace; "?" if it is not known.
std::string place_of(const ReportedRun& run, trace::Index construct);

}  // namespace lares::cli
