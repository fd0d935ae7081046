#include "cli/study/nested/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "cli/study/nested/figures.hpp"

namespace lares::cli::nested {
namespace {

using Align = Table::Align;

/// Whole MB/s: "1555-1983", as the paper writes it.
std::string worst_best(const Range& rates) {
  return fmt::format("{:.0f}-{:.0f}", rates.least, rates.most);
}

std::string average(const Range& rates) { return fmt::format("{:.0f}", rates.mean); }

std::string percent(const Range& shares) { return fmt::format("{:.1f}", 100 * shares.mean); }

/// The paper's Tables 5 and 6: rates of each kernel, of a team.
std::string table_of_rates(const Report& report) {
  Table table({Align::right, Align::left, Align::left, Align::right, Align::right, Align::right,
               Align::right});
  table.add({"MB", "method", "kernel", "worst-best", "average", "together, %", "local, %"});
  for (const Row& row : report.rows) {
    for (const std::string& kernel : kernels_of(row.work.kind)) {
      const Range rates = rates_of(row, 0, kernel);
      table.add({fmt::format("{:g}", row.work.mb), row.variant.name, kernel, worst_best(rates),
                 average(rates), percent(shares_of(row, 0, &TeamPhase::together)),
                 percent(shares_of(row, 0, &TeamPhase::local))});
    }
  }
  return table.text("  ");
}

/// Table 7, and the points of Figures 7 and 8.
std::string table_of_phases(const Report& report) {
  Table table({Align::right, Align::left, Align::right, Align::left, Align::right, Align::right,
               Align::right, Align::right, Align::right});
  table.add({"MB", "data", "passes", "method", "phase 1", "phase 2", "local, %",
             "seconds of phase 2", "moved, MB"});
  for (const Row& row : report.rows) {
    const Range seconds = seconds_of(row, 1);
    table.add({fmt::format("{:g}", row.work.mb), row.work.data, fmt::format("{}", row.work.passes),
               row.variant.name, average(rates_of(row, 0, "triad")),
               average(rates_of(row, 1, "triad")), percent(shares_of(row, 1, &TeamPhase::local)),
               fmt::format("{:.4g} [{:.4g}..{:.4g}]", seconds.mean, seconds.least, seconds.most),
               fmt::format("{:.4g}", 1e-6 * moved_bytes(row).mean)});
  }
  return table.text("  ");
}

void add_times(Table& table, const Row& row, const std::string& team, const std::string& load,
               const Range& seconds, const Range& together, const Range& local) {
  table.add({fmt::format("{:g}", row.work.mb), row.variant.name, team, load,
             fmt::format("{:.4g}", seconds.mean), fmt::format("{:.4g}", seconds.least),
             fmt::format("{:.4g}", seconds.most), percent(together), percent(local)});
}

/// Tables 8 to 10: times of each team, and of all.
std::string table_of_teams(const Report& report) {
  Table table({Align::right, Align::left, Align::right, Align::right, Align::right, Align::right,
               Align::right, Align::right, Align::right});
  table.add({"MB", "method", "team", "load", "average", "min", "max", "together, %", "local, %"});
  for (const Row& row : report.rows) {
    for (std::size_t team = 0; team < row.work.teams; ++team) {
      add_times(table, row, fmt::format("{}", team), fmt::format("{}", row.work.loads[team]),
                team_seconds(row, team), shares_of(row, 0, &TeamPhase::together, team),
                shares_of(row, 0, &TeamPhase::local, team));
    }
    add_times(table, row, "all", "", seconds_of(row, 0), shares_of(row, 0, &TeamPhase::together),
              shares_of(row, 0, &TeamPhase::local));
  }
  return table.text("  ");
}

std::string table_of(const Report& report) {
  if (report.study.kind == Kind::twisted) return table_of_phases(report);
  if (report.study.kind == Kind::imbalanced) return table_of_teams(report);
  return table_of_rates(report);
}

/// What the table's figures are.
std::string unit_of(Kind kind) {
  if (kind == Kind::imbalanced) return "seconds";
  return kind == Kind::stream ? "MB/s" : "MB/s of a team";
}

std::string legend(const Report& report) {
  std::string text;
  std::set<std::string> seen;
  for (const Row& row : report.rows) {
    if (!seen.insert(row.variant.name).second) continue;
    text += fmt::format("  {:<10} {}\n", row.variant.name, row.variant.about);
  }
  return text;
}

}  // namespace

std::string to_text(const Report& report, const Palette& palette) {
  const Row& first = report.rows.front();
  return fmt::format("{}, {} x {} threads, {} domains ({}), {}, {} runs each: {}\n{}\n{}",
                     palette.bold(report.study.title), first.work.teams, first.work.inner,
                     report.domains, report.level, report.program, first.outcomes.size(),
                     unit_of(report.study.kind), table_of(report), legend(report));
}

}  // namespace lares::cli::nested
