// What a traced run's bytes take at least: what `lares model` prints, and its parts, of which
// `lares report` has some, too.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/output.hpp"
#include "cli/study/model/measured_machine.hpp"
#include "trace/model/least_times.hpp"

namespace lares::cli {

struct TracedRun {
  std::string name;  ///< of its folder
  trace::Trace trace;
  trace::LeastTimes times;
};

std::string traced_text(const TracedRun& run, const Palette& palette);
std::string traced_json(const TracedRun& run);
std::string traced_csv(const TracedRun& run);

/// UserMistake, which names the folder, if the run had other domains than the machine.
trace::LeastTimes times_on(const MeasuredMachine& measured, const std::string& folder,
                           const trace::Trace& trace);

/// The construct's, for a terminal; "?" if it is not known.
std::string traced_place(const trace::Trace& trace, trace::Index construct);
/// The first `most` constructs, a line each.
std::string traced_table(const trace::Trace& trace, const trace::LeastTimes& times,
                         std::size_t most);
/// How to read the table, in one sentence.
extern const char* const traced_legend;
/// All fields of a construct but its place.
nlohmann::ordered_json traced_row_json(const trace::LeastRow& row);
/// Its fields least_s, efficiency, all_local_s and verdict.
std::string traced_row_csv(const trace::LeastRow& row);

}  // namespace lares::cli
