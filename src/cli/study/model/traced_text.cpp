// What a traced run's bytes take at least, for people.
#include "cli/study/model/show.hpp"
#include "cli/study/model/traced.hpp"
#include "model/least_words.hpp"
#include "trace/names.hpp"

namespace lares::cli {
namespace {

using Align = Table::Align;

std::vector<std::string> row_of(const trace::Trace& trace, const trace::LeastRow& row) {
  const bool known = row.is_known();
  const auto bytes = static_cast<std::uint64_t>(row.bytes);
  return {traced_place(trace, row.construct),
          known ? human_bytes({bytes}) : "-",
          time_text(row.least.measured),
          known ? time_text(row.least.memory.time) : "-",
          known ? trace::human_share(row.least.efficiency) : "-",
          known ? time_text(row.least.if_local) : "-",
          model::verdict_text(row.least)};
}

}  // namespace

const char* const traced_legend =
    "measured: own time of a thread, of the domain that was busy longest; least: what the bytes "
    "take that grains name; data that they use without naming it is not in it";

std::string traced_table(const trace::Trace& trace, const trace::LeastTimes& times,
                         std::size_t most) {
  Table table({Align::left, Align::right, Align::right, Align::right, Align::right, Align::right,
               Align::left});
  table.add({"construct", "bytes", "measured", "least", "of it", "all local", "verdict"});
  for (std::size_t i = 0; i < times.rows.size() && i < most; ++i) {
    table.add(row_of(trace, times.rows[i]));
  }
  return table.text("  ");
}

std::string traced_text(const TracedRun& run, const Palette& palette) {
  std::string text = palette.bold(run.name) + " on " + run.times.machine + "\n";
  for (const std::string& note : run.times.notes) text += "note: " + note + "\n";
  text += "\n" + traced_table(run.trace, run.times, run.times.rows.size()) + "\n";
  for (const std::string& remark : trace::remarks_on(run.times)) text += remark + "\n";
  return text + traced_legend + "\n";
}

}  // namespace lares::cli
