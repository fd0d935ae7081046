// What the runs' bytes take at least on a measured machine, as a part of the report for people.
#include <fmt/format.h>

#include "analysis/stats_file.hpp"
#include "cli/study/model/show.hpp"
#include "cli/study/model/traced.hpp"
#include "cli/study/report/pairs.hpp"
#include "cli/study/report/report.hpp"
#include "model/least_words.hpp"
#include "trace/names.hpp"

namespace lares::cli {
namespace {

using trace::LeastRow;
using trace::LeastTimes;

std::string model_head(const LeastTimes& times, const Palette& palette) {
  return palette.bold("Model") + ", on " + analysis::printable(times.machine) +
         " (least time of the bytes that constructs name)\n";
}

std::string lines_of(const std::vector<std::string>& sentences, const std::string& before = "") {
  std::string text;
  for (const std::string& sentence : sentences) text += fmt::format("  {}{}\n", before, sentence);
  return text;
}

/// A construct's figure; "-" where nobody knows it.
template <class Get>
std::string if_known(const LeastRow* row, Get get) {
  return row != nullptr && row->is_known() ? get(*row) : "-";
}

/// "partly", or "partly -> memory-bound" where that has changed.
std::string verdict_change(const LeastRow* before, const LeastRow* after) {
  const auto word = [](const LeastRow* row) {
    return row == nullptr ? "-" : model::verdict_word(row->least.verdict);
  };
  return word(before) == word(after) ? word(after) : word(before) + " -> " + word(after);
}

std::vector<std::string> pair_cells(const RowPair<LeastRow>& pair) {
  std::vector<std::string> cells{analysis::printable(pair.place)};
  for (const LeastRow* row : {pair.before, pair.after}) {
    cells.push_back(row == nullptr ? "-" : time_text(row->least.measured));
  }
  for (const LeastRow* row : {pair.before, pair.after}) {
    cells.push_back(if_known(row, [](const auto& r) { return time_text(r.least.memory.time); }));
  }
  for (const LeastRow* row : {pair.before, pair.after}) {
    cells.push_back(
        if_known(row, [](const auto& r) { return trace::human_share(r.least.efficiency); }));
  }
  cells.push_back(verdict_change(pair.before, pair.after));
  return cells;
}

}  // namespace

std::string model_section(const ReportedRun& run, const Palette& palette) {
  if (!run.model) return {};
  const LeastTimes& times = *run.model;
  std::string text = model_head(times, palette);
  text += traced_table(run.trace, times, most_constructs);
  text += constructs_left(times.rows.size());
  text += lines_of(times.notes, "note: ");
  text += lines_of(trace::remarks_on(times));
  return text + lines_of({traced_legend}) + "\n";
}

std::string model_comparison(const ReportedRun& before, const ReportedRun& after,
                             const Palette& palette) {
  if (!before.model || !after.model) return {};
  using Align = Table::Align;
  Table table({Align::left, Align::right, Align::right, Align::right, Align::right, Align::right,
               Align::right, Align::left});
  table.add({"construct", "measured before", "after", "least before", "after", "of it before",
             "after", "verdict"});
  for (const auto& pair : pairs_of(before, before.model->rows, after, after.model->rows)) {
    table.add(pair_cells(pair));
  }
  std::string text = model_head(*after.model, palette) + table.text("  ");
  text += lines_of(after.model->notes, "note: ");
  text += lines_of(trace::remarks_on(*before.model), "before: ");
  text += lines_of(trace::remarks_on(*after.model), "after: ");
  return text + lines_of({traced_legend}) + "\n";
}

}  // namespace lares::cli
