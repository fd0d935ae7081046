// The pictures: bars of the figures that the tables have.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "bench/range_rows.hpp"
#include "cli/study/nested/figures.hpp"
#include "cli/study/nested/report.hpp"

namespace lares::cli::nested {
namespace {

/// Rows that differ in their variant only.
using Case = std::vector<const Row*>;

bool same_work(const Work& a, const Work& b) {
  return a.mb == b.mb && a.data == b.data && a.passes == b.passes;
}

std::vector<Case> cases_of(const Report& report) {
  std::vector<Case> cases;
  for (const Row& row : report.rows) {
    if (cases.empty() || !same_work(cases.back().front()->work, row.work)) cases.emplace_back();
    cases.back().push_back(&row);
  }
  return cases;
}

bool several_sizes(const Report& report) {
  return report.rows.front().work.mb != report.rows.back().work.mb;
}

/// A bar for each row of a case, of what `figures` says of the row.
template <class Figures>
bench::RangeGroup group_of(std::string name, const Case& rows, Figures figures) {
  bench::RangeGroup group{std::move(name), {}};
  for (const Row* row : rows) {
    const Range range = figures(*row);
    group.rows.push_back(
        {row->variant.name, range.mean, range.least, range.most, row->variant.bubbles != nullptr});
  }
  return group;
}

constexpr double mb_in_gb = 1e-3;

std::vector<bench::RangeGroup> rates(const Case& rows) {
  std::vector<bench::RangeGroup> groups;
  for (const std::string& kernel : kernels_of(rows.front()->work.kind)) {
    groups.push_back(group_of(kernel, rows, [&](const Row& row) {
      const Range mb = rates_of(row, 0, kernel);
      return Range{mb_in_gb * mb.least, mb_in_gb * mb.mean, mb_in_gb * mb.most};
    }));
  }
  return groups;
}

/// What the triads of phase 2 come to if what moves counts as their time.
Range rate_of_phase_2(const Row& row) {
  constexpr double vectors = 3;
  const double gb = mb_in_gb * vectors * row.work.mb * static_cast<double>(row.work.passes);
  std::vector<double> values;
  for (const Outcome& outcome : row.outcomes) values.push_back(gb / outcome.seconds.at(1));
  return range_of(values);
}

std::vector<bench::RangeGroup> phase_2(const Case& rows) {
  const Work& work = rows.front()->work;
  return {
      group_of(fmt::format("{}, {} pass{}", work.data, work.passes, work.passes == 1 ? "" : "es"),
               rows, rate_of_phase_2)};
}

std::vector<bench::RangeGroup> times_of_teams(const Case& rows) {
  std::vector<bench::RangeGroup> groups;
  groups.push_back(group_of("all", rows, [](const Row& row) { return seconds_of(row, 0); }));
  const Work& work = rows.front()->work;
  for (std::size_t team = 0; team < work.teams; ++team) {
    groups.push_back(group_of(fmt::format("team {}, load {}", team, work.loads[team]), rows,
                              [&](const Row& row) { return team_seconds(row, team); }));
  }
  return groups;
}

std::vector<bench::RangeGroup> groups_of(Kind kind, const Case& rows) {
  if (kind == Kind::twisted) return phase_2(rows);
  if (kind == Kind::imbalanced) return times_of_teams(rows);
  return rates(rows);
}

std::string axis_of(Kind kind) {
  switch (kind) {
    case Kind::stream:
      return "GB/s";
    case Kind::nested:
      return "GB/s of a team";
    case Kind::twisted:
      return "GB/s of a team in phase 2, what moves counted as its time";
    case Kind::imbalanced:
      break;
  }
  return "seconds";
}

}  // namespace

std::string to_svg(const Report& report) {
  const Work& work = report.rows.front().work;
  bench::RangeRows picture;
  picture.title = fmt::format("{}, {} x {} threads, {} domains ({}), {}", report.study.title,
                              work.teams, work.inner, report.domains, report.level, report.program);
  picture.about = fmt::format("{}average [least..most]; grey: the program alone, blue: lares run",
                              several_sizes(report) ? "" : fmt::format("{:g} MB, ", work.mb));
  picture.axis = axis_of(work.kind);
  for (const Case& rows : cases_of(report)) {
    for (bench::RangeGroup& group : groups_of(work.kind, rows)) {
      if (several_sizes(report)) {
        group.name = fmt::format("{:g} MB, {}", rows.front()->work.mb, group.name);
      }
      picture.groups.push_back(std::move(group));
    }
  }
  return bench::to_svg(picture);
}

}  // namespace lares::cli::nested
