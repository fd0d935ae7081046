#include "cli/study/nested_solves/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "bench/range_rows.hpp"
#include "measure/spread.hpp"

namespace lares::cli::nested_solves {
namespace {

machine::Spread seconds_of_row(const Row& row) {
  std::vector<double> values;
  for (const Outcome& outcome : row.outcomes) values.push_back(outcome.seconds);
  return measure::spread_of(std::move(values));
}

machine::Spread together_of(const Row& row) {
  std::vector<double> values;
  for (const Outcome& outcome : row.outcomes) values.push_back(outcome.together);
  return measure::spread_of(std::move(values));
}

/// Over the flat program's time in the same round; nothing if that did not run.
std::optional<machine::Spread> ratio_to_flat(const Report& report, const Row& row) {
  const auto flat = std::find_if(report.rows.begin(), report.rows.end(),
                                 [](const Row& other) { return other.method.form == Form::flat; });
  if (flat == report.rows.end()) return std::nullopt;
  std::vector<double> values;
  for (std::size_t run = 0; run < row.outcomes.size(); ++run) {
    values.push_back(row.outcomes[run].seconds / flat->outcomes[run].seconds);
  }
  return measure::spread_of(std::move(values));
}

std::string text_of(const machine::Spread& s) {
  return fmt::format("{:.4g} [{:.4g}..{:.4g}]", s.median, s.least, s.most);
}

nlohmann::ordered_json spread_json(const machine::Spread& s) {
  return {{"median", s.median}, {"least", s.least}, {"most", s.most}};
}

std::string table_of_methods(const Report& report) {
  using Align = Table::Align;
  Table table({Align::left, Align::right, Align::right, Align::right, Align::right});
  table.add({"method", "teams x threads", "seconds", "time / flat", "together, %"});
  for (const Row& row : report.rows) {
    const auto ratio = ratio_to_flat(report, row);
    table.add({row.method.variant.name, fmt::format("{} x {}", row.work.teams, row.work.inner),
               text_of(seconds_of_row(row)), ratio ? text_of(*ratio) : "",
               fmt::format("{:.1f}", 100 * together_of(row).median)});
  }
  return table.text("  ");
}

}  // namespace

std::string to_text(const Report& report, const Palette& palette) {
  const Row& first = report.rows.front();
  std::string legend;
  for (const Row& row : report.rows) {
    legend += fmt::format("  {:<8} {}\n", row.method.variant.name, row.method.variant.about);
  }
  return fmt::format(
      "{}, {} solves of {}^3 points, {} domains ({}), {}, {} runs each: median [least..most]\n"
      "{}\n{}",
      palette.bold("Independent solves"), first.work.solves, first.work.side, report.domains,
      report.level, report.program, first.outcomes.size(), table_of_methods(report), legend);
}

std::string to_json(const Report& report) {
  const Work& work = report.rows.front().work;
  nlohmann::ordered_json all{{"benchmark", "nested-solves"},
                             {"program", report.program},
                             {"solves", work.solves},
                             {"side", work.side},
                             {"domains", report.domains},
                             {"level", report.level},
                             {"results", nlohmann::ordered_json::array()}};
  for (const Row& row : report.rows) {
    nlohmann::ordered_json one{{"method", row.method.variant.name},
                               {"teams", row.work.teams},
                               {"threads", row.work.inner},
                               {"seconds", spread_json(seconds_of_row(row))}};
    if (const auto ratio = ratio_to_flat(report, row)) one["ratio"] = spread_json(*ratio);
    one["runs"] = nlohmann::ordered_json::array();
    for (const Outcome& outcome : row.outcomes) {
      one["runs"].push_back({{"seconds", outcome.seconds},
                             {"together", outcome.together},
                             {"iterations", outcome.iterations}});
    }
    all["results"].push_back(std::move(one));
  }
  return all.dump(2) + "\n";
}

std::string to_csv(const Report& report) {
  std::string text = "method,teams,threads,run,seconds,together,iterations\n";
  for (const Row& row : report.rows) {
    for (std::size_t run = 0; run < row.outcomes.size(); ++run) {
      const Outcome& o = row.outcomes[run];
      text += fmt::format("{},{},{},{},{},{},{}\n", row.method.variant.name, row.work.teams,
                          row.work.inner, run, o.seconds, o.together, o.iterations);
    }
  }
  return text;
}

std::string to_svg(const Report& report) {
  const Row& first = report.rows.front();
  bench::RangeRows picture;
  picture.title = fmt::format("Independent solves, {} domains ({}), {}", report.domains,
                              report.level, report.program);
  picture.about = fmt::format(
      "{} solves of {}^3 points; median [least..most] of {} runs; grey: the program alone, blue: "
      "lares run",
      first.work.solves, first.work.side, first.outcomes.size());
  picture.axis = "seconds";
  bench::RangeGroup group{"teams x threads", {}};
  for (const Row& row : report.rows) {
    const machine::Spread seconds = seconds_of_row(row);
    group.rows.push_back(
        {fmt::format("{}, {} x {}", row.method.variant.name, row.work.teams, row.work.inner),
         seconds.median, seconds.least, seconds.most, row.method.variant.bubbles != nullptr});
  }
  picture.groups.push_back(std::move(group));
  return bench::to_svg(picture);
}

}  // namespace lares::cli::nested_solves
