// What moved, for people: memory, pages that were looked at, threads.
#include <string>

#include "cli/study/report/report.hpp"
#include "trace/findings/moves.hpp"
#include "trace/names.hpp"

namespace lares::cli {
namespace {

using Align = Table::Align;

std::string memory_table(const ReportedRun& run) {
  Table table({Align::left, Align::right, Align::right, Align::right, Align::right});
  table.add({"", "times", "bytes", "changed node", "time"});
  for (const trace::MoveRow& row : trace::move_rows(run.findings.moves)) {
    table.add({row.what, std::to_string(row.sums.times), human_bytes({row.sums.bytes}),
               part_word(row.sums.arrived), trace::human_time(row.sums.took)});
  }
  return table.text("  ");
}

std::string samples_table(const ReportedRun& run) {
  Table table({Align::left, Align::right, Align::right, Align::right});
  table.add({"touched by", "bytes", "local", "remote"});
  for (const trace::PageColumn& column : run.findings.sampled.columns) {
    table.add({thread_word(run, column.thread), human_bytes({trace::all_bytes(column.bytes)}),
               part_word(bytes_of(column.bytes, trace::PageUse::local)),
               part_word(bytes_of(column.bytes, trace::PageUse::remote))});
  }
  return table.text("  ");
}

std::string moved_threads_table(const ReportedRun& run) {
  Table table({Align::left, Align::right, Align::right});
  table.add({"to domain", "times", "threads"});
  for (const trace::ThreadMoveSums& sums : run.findings.moves.threads) {
    table.add({sums.domain == trace::no_domain ? "several" : std::to_string(sums.domain),
               std::to_string(sums.times), std::to_string(sums.threads)});
  }
  return table.text("  ");
}

}  // namespace

std::string moves_text(const ReportedRun& run, const Palette& palette) {
  std::string text;
  if (!run.trace.moves.list.empty()) {
    text += palette.bold("Memory that moved") + "\n" + memory_table(run) + "\n";
  }
  if (!run.findings.sampled.columns.empty()) {
    text += palette.bold("Sampled pages") + ", by the threads that touched them\n" +
            samples_table(run) + "\n";
  }
  if (!run.trace.moves.threads.empty()) {
    text += palette.bold("Threads that moved") + " inside of regions\n" + moved_threads_table(run) +
            "\n";
  }
  return text;
}

}  // namespace lares::cli
