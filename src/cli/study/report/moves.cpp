// Memory that moved, for people.
#include <string>

#include "cli/study/report/report.hpp"
#include "trace/findings/moves.hpp"
#include "trace/names.hpp"

namespace lares::cli {

std::string moves_text(const ReportedRun& run, const Palette& palette) {
  if (run.trace.moves.list.empty()) return {};
  using Align = Table::Align;
  Table table({Align::left, Align::right, Align::right, Align::right, Align::right});
  table.add({"", "times", "bytes", "changed node", "time"});
  for (const trace::MoveRow& row : trace::move_rows(run.findings.moves)) {
    table.add({row.what, std::to_string(row.sums.times), human_bytes({row.sums.bytes}),
               row.sums.arrived == 0 ? "-" : human_bytes({row.sums.arrived}),
               trace::human_time(row.sums.took)});
  }
  return palette.bold("Memory that moved") + "\n" + table.text("  ") + "\n";
}

}  // namespace lares::cli
