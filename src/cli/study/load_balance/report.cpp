#include "cli/study/load_balance/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/stacked_bars.hpp"
#include "measure/spread.hpp"

namespace lares::cli::load_balance {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_bars = 16;  ///< of one method; more threads are shown by domain
constexpr std::size_t bar_width = 60;

machine::Spread spread(const Row& row, double Outcome::* figure, double scale = 1) {
  std::vector<double> values;
  values.reserve(row.outcomes.size());
  for (const Outcome& outcome : row.outcomes) values.push_back(outcome.*figure * scale);
  return measure::spread_of(std::move(values));
}

std::string cell(const machine::Spread& s) {
  return fmt::format("{:.4g} [{:.4g}..{:.4g}]", s.median, s.least, s.most);
}

Json to_json(const machine::Spread& s) {
  return {{"median", s.median}, {"least", s.least}, {"most", s.most}};
}

/// The repetition whose time is the median: what the picture shows.
const Outcome& typical(const Row& row) {
  std::vector<const Outcome*> sorted;
  for (const Outcome& outcome : row.outcomes) sorted.push_back(&outcome);
  std::sort(sorted.begin(), sorted.end(),
            [](const Outcome* a, const Outcome* b) { return a->seconds < b->seconds; });
  return *sorted[sorted.size() / 2];
}

std::string table(const Report& report) {
  using Align = Table::Align;
  Table table({Align::right, Align::left, Align::right, Align::right, Align::right, Align::right});
  table.add({"GB", "method", "seconds", "imbalance", "on the clock", "local, %"});
  for (const Row& row : report.rows) {
    table.add({fmt::format("{:g}", row.gb), row.method->name, cell(spread(row, &Outcome::seconds)),
               cell(spread(row, &Outcome::imbalance)),
               cell(spread(row, &Outcome::imbalance_elapsed)),
               cell(spread(row, &Outcome::local, 100))});
  }
  return table.text("  ");
}

std::vector<bench::Bar> bars_of_threads(const Outcome& outcome) {
  std::vector<bench::Bar> bars;
  for (std::size_t t = 0; t < outcome.elapsed.size(); ++t) {
    bars.push_back({fmt::format("thread {} in {}", t, bench::part_letter(outcome.domains[t])),
                    outcome.elapsed[t]});
  }
  return bars;
}

/// The mean of each domain's threads.
std::vector<bench::Bar> bars_of_domains(const Outcome& outcome, std::size_t domains) {
  std::vector<bench::Bar> bars;
  for (std::size_t d = 0; d < domains; ++d) {
    ByHome sum(domains, 0);
    std::size_t threads = 0;
    for (std::size_t t = 0; t < outcome.elapsed.size(); ++t) {
      if (outcome.domains[t] != d) continue;
      ++threads;
      for (std::size_t home = 0; home < domains; ++home) sum[home] += outcome.elapsed[t][home];
    }
    if (threads == 0) continue;
    for (double& seconds : sum) seconds /= static_cast<double>(threads);
    bars.push_back({fmt::format("threads in {}", bench::part_letter(d)), std::move(sum)});
  }
  return bars;
}

/// Of the largest size: bars of all methods, with one scale.
std::string picture(const Report& report) {
  double gb = 0;
  for (const Row& row : report.rows) gb = std::max(gb, row.gb);
  std::vector<bench::Bar> bars;
  std::vector<std::pair<const Row*, std::size_t>> counts;
  for (const Row& row : report.rows) {
    if (row.gb != gb) continue;
    const Outcome& shown = typical(row);
    auto own = report.threads > most_bars ? bars_of_domains(shown, report.domains)
                                          : bars_of_threads(shown);
    counts.emplace_back(&row, own.size());
    for (bench::Bar& bar : own) bars.push_back(std::move(bar));
  }
  const std::string drawn = bench::stacked_bars(bars, bar_width);
  std::string text;
  std::size_t at = 0;
  for (const auto& [row, count] : counts) {
    text += fmt::format("{}: {}\n", row->method->name, row->method->about);
    for (std::size_t line = 0; line < count; ++line) {
      const std::size_t end = drawn.find('\n', at) + 1;
      text += drawn.substr(at, end - at);
      at = end;
    }
  }
  return text;
}

}  // namespace

std::string to_text(const Report& report, const Palette& palette) {
  return fmt::format(
      "{}, {} packages, {} threads in {} domains ({}), {}: median [least..most]\n{}\n"
      "Each thread's time in packages by the domain of their data, a digit for each domain:\n{}",
      palette.bold("Load balancing"), report.packages, report.threads, report.domains, report.level,
      report.program, table(report), picture(report));
}

std::string to_json(const Report& report) {
  Json rows = Json::array();
  for (const Row& row : report.rows) {
    Json outcomes = Json::array();
    for (const Outcome& o : row.outcomes) {
      outcomes.push_back({{"seconds", o.seconds},
                          {"imbalance", o.imbalance},
                          {"imbalance_elapsed", o.imbalance_elapsed},
                          {"local", o.local},
                          {"domains", o.domains},
                          {"busy", o.busy},
                          {"elapsed", o.elapsed}});
    }
    rows.push_back({{"gb", row.gb},
                    {"method", row.method->name},
                    {"seconds", to_json(spread(row, &Outcome::seconds))},
                    {"imbalance", to_json(spread(row, &Outcome::imbalance))},
                    {"imbalance_elapsed", to_json(spread(row, &Outcome::imbalance_elapsed))},
                    {"local", to_json(spread(row, &Outcome::local))},
                    {"runs", std::move(outcomes)}});
  }
  const Json all{{"program", report.program}, {"packages", report.packages},
                 {"times", report.times},     {"threads", report.threads},
                 {"domains", report.domains}, {"level", report.level},
                 {"results", std::move(rows)}};
  return all.dump(2) + "\n";
}

std::string to_csv(const Report& report) {
  std::string text = "gb,method,run,seconds,imbalance,imbalance_elapsed,local\n";
  for (const Row& row : report.rows) {
    for (std::size_t i = 0; i < row.outcomes.size(); ++i) {
      const Outcome& o = row.outcomes[i];
      text += fmt::format("{:g},{},{},{},{},{},{}\n", row.gb, row.method->name, i, o.seconds,
                          o.imbalance, o.imbalance_elapsed, o.local);
    }
  }
  return text;
}

}  // namespace lares::cli::load_balance
