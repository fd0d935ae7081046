// What a traced run's bytes take at least, for people.
#include <fmt/format.h>

#include <algorithm>

#include "cli/study/model/show.hpp"
#include "trace/names.hpp"

namespace lares::cli {
namespace {

using Align = Table::Align;

std::string verdict_text(const TracedConstruct& construct) {
  switch (construct.least.verdict) {
    case model::Verdict::memory_bound:
      return "memory-bound: " + bottleneck_text(construct.least.memory);
    case model::Verdict::partly:
      return "partly memory-bound: " + bottleneck_text(construct.least.memory);
    case model::Verdict::not_memory_bound:
      return "not memory-bound";
    case model::Verdict::no_bytes:
      break;
  }
  return "names no bytes";
}

std::vector<std::string> row_of(const TracedConstruct& construct) {
  const model::LeastTime& least = construct.least;
  const bool known = least.verdict != model::Verdict::no_bytes;
  const auto bytes = static_cast<std::uint64_t>(construct.bytes);
  return {construct.place,
          known ? human_bytes({bytes}) : "-",
          time_text(least.measured),
          known ? time_text(least.memory.time) : "-",
          known ? trace::human_share(least.efficiency) : "-",
          known ? time_text(least.if_local) : "-",
          verdict_text(construct)};
}

/// What is not known, and what is odd.
std::string remarks(const TracedRun& run) {
  std::string text;
  const auto count = [&](const auto& has) {
    return std::count_if(run.constructs.begin(), run.constructs.end(), has);
  };
  const auto silent =
      count([](const auto& c) { return c.least.verdict == model::Verdict::no_bytes; });
  if (silent == static_cast<std::ptrdiff_t>(run.constructs.size())) {
    text +=
        "The trace has no bytes, so the model cannot say anything: the program tells them by "
        "array sections in affinity and depend clauses.\n";
  } else if (silent > 0) {
    text += fmt::format("{} of {} constructs name no bytes, so nothing can be said of them.\n",
                        silent, run.constructs.size());
  }
  double bytes = 0;
  double homeless = 0;
  for (const TracedConstruct& construct : run.constructs) {
    bytes += construct.bytes;
    homeless += construct.homeless;
  }
  if (homeless > 0) {
    text += fmt::format("No home is known of {} of the bytes; they count as local.\n",
                        trace::human_share(homeless / bytes));
  }
  if (count([](const auto& c) { return c.least.efficiency > 1.1; }) > 0) {
    text += "Above 100 %, caches gave what the model takes from memory.\n";
  }
  return text;
}

}  // namespace

std::string traced_text(const TracedRun& run, const Palette& palette) {
  std::string text = palette.bold(run.name) + " on " + run.machine.name + "\n";
  for (const std::string& note : run.figures.notes()) text += "note: " + note + "\n";
  Table table({Align::left, Align::right, Align::right, Align::right, Align::right, Align::right,
               Align::left});
  table.add({"construct", "bytes", "measured", "least", "of it", "all local", "verdict"});
  for (const TracedConstruct& construct : run.constructs) table.add(row_of(construct));
  text += "\n" + table.text("  ") + "\n" + remarks(run);
  return text +
         "measured: own time of a thread, of the domain that was busy longest; least: what the "
         "bytes take that grains name; data that they use without naming it is not in it\n";
}

}  // namespace lares::cli
