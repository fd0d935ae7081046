// Memory that moved, for people.
#include <fmt/format.h>

#include <string>

#include "cli/study/report/report.hpp"
#include "trace/names.hpp"

namespace lares::cli {
namespace {

using trace::MoveSums;

void add_row(Table& table, const std::string& words, const MoveSums& sums) {
  if (sums.times == 0) return;
  table.add({words, std::to_string(sums.times), human_bytes({sums.bytes}),
             sums.arrived == 0 ? "-" : human_bytes({sums.arrived}), trace::human_time(sums.took)});
}

}  // namespace

std::string moves_text(const ReportedRun& run, const Palette& palette) {
  if (run.trace.moves.list.empty()) return {};
  using Align = Table::Align;
  const trace::MoveFindings& moves = run.findings.moves;
  Table table({Align::left, Align::right, Align::right, Align::right, Align::right});
  table.add({"", "times", "bytes", "changed node", "time"});
  add_row(table, "marked for the next touch", moves.marks);
  add_row(table, "fetched at a touch", moves.fetches);
  for (std::size_t domain = 0; domain < moves.fetches_into.size(); ++domain) {
    add_row(table, fmt::format("  into domain {}", domain), moves.fetches_into[domain]);
  }
  add_row(table, "moved by a call", moves.calls);
  return palette.bold("Memory that moved") + "\n" + table.text("  ") + "\n";
}

}  // namespace lares::cli
