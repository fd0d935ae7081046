// Predictions for people.
#include <fmt/format.h>

#include <algorithm>

#include "cli/study/model/show.hpp"
#include "model/least_words.hpp"

namespace lares::cli {
namespace {

using Align = Table::Align;
using model::Prediction;
using model::RegionTime;

std::string number_or_dash(const std::optional<double>& value) {
  return value ? fmt::format("{:.3g}", *value) : "-";
}

std::string bound_text(const RegionTime& region) {
  if (region.bound != model::Bound::memory) return bound_word(region.bound);
  return model::bottleneck_text(region.slowest);
}

/// "2 threads: 1 in domain 0, 1 in domain 1"; a long list is cut.
std::string head_of(const Prediction& prediction, const Palette& palette) {
  constexpr std::size_t most_domains = 4;
  std::string text = palette.bold(
      fmt::format("{} {}", prediction.threads, prediction.threads == 1 ? "thread" : "threads"));
  std::size_t used = 0;
  for (std::size_t d = 0; d < prediction.team.of_domain.size(); ++d) {
    if (prediction.team.of_domain[d] == 0 || ++used > most_domains) continue;
    text +=
        fmt::format("{} {} in domain {}", used == 1 ? ":" : ",", prediction.team.of_domain[d], d);
  }
  if (used > most_domains) text += fmt::format(", and in {} more", used - most_domains);
  return text;
}

std::string measured_cells(const std::optional<model::Seconds>& measured,
                           model::Seconds predicted) {
  if (!measured) return "-";
  return fmt::format("{} ({})", time_text(*measured),
                     error_text(model::error_of(predicted, *measured)));
}

bool any_measured(const Prediction& prediction) {
  return prediction.measured || std::any_of(prediction.regions.begin(), prediction.regions.end(),
                                            [](const RegionTime& r) { return r.measured; });
}

std::string table_of(const Prediction& prediction) {
  const bool measured = any_measured(prediction);
  std::vector<Align> columns{Align::left,  Align::right, Align::right, Align::right,
                             Align::right, Align::right, Align::right, Align::right,
                             Align::right, Align::right, Align::left};
  std::vector<std::string> head{"region", "times", "Tm",        "Tc",   "Ts",  "T",
                                "all",    "share", "flop/byte", "roof", "rate"};
  std::vector<std::string> last{"total", "", "", "", "", "", time_text(prediction.total),
                                "",      "", "", ""};
  head.emplace_back("bound by");
  last.emplace_back("");
  columns.insert(columns.begin() + 10, Align::right);
  if (measured) {
    columns.push_back(Align::left);
    head.emplace_back("measured (the model's error)");
    last.push_back(measured_cells(prediction.measured, prediction.total));
  }
  Table table(columns);
  table.add(head);
  for (const RegionTime& region : prediction.regions) {
    std::vector<std::string> row{
        region.name,
        fmt::format("{:g}", region.repeat),
        time_text(region.memory),
        time_text(region.computing),
        time_text(region.waiting),
        time_text(region.once),
        time_text(region.total),
        fmt::format("{:.1f} %", 100 * region.total.count / prediction.total.count),
        number_or_dash(region.intensity()),
        number_or_dash(region.roof()),
        number_or_dash(region.rate()),
        bound_text(region)};
    if (measured) row.push_back(measured_cells(region.measured, region.total));
    table.add(row);
  }
  table.add(last);
  return table.text("  ");
}

}  // namespace

std::string model_text(const PredictedRun& run, const Palette& palette) {
  std::string text = palette.bold(run.name) + " on " + run.machine.name;
  if (!run.choice.runtime.empty()) text += ", synchronisation of " + run.choice.runtime;
  text += "\n";
  for (const std::string& note : run.figures.notes()) text += "note: " + note + "\n";
  for (const Prediction& prediction : run.predictions) {
    text += "\n" + head_of(prediction, palette) + "\n" + table_of(prediction);
    text += fmt::format("  {} if memory and computation did not overlap\n",
                        time_text(prediction.apart));
  }
  text += "\nT = max(Tm, Tc) + Ts of one execution; roof and rate in GFLOPS, without and with Ts\n";
  return text;
}

}  // namespace lares::cli
