// The picture: how much longer each construct takes than alone.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "bench/range_rows.hpp"
#include "cli/study/nested_overheads/figures.hpp"

namespace lares::cli::nested_overheads {
namespace {

/// Some ratios are in the hundreds, and one pixel would be more than the goal allows.
constexpr double most_shown = 2.5;

bench::RangeGroup ratios_of(const Report& report, const Row& first, std::size_t construct) {
  bench::RangeGroup group{
      fmt::format("{} x {}, {}", first.shape.outer, first.shape.inner, constructs()[construct]),
      {}};
  for (const Row& row : report.rows) {
    if (!same_shape(row.shape, first.shape) || row.variant.name == std::string_view("alone"))
      continue;
    const auto ratio = ratio_to_alone(report, row, construct);
    if (!ratio) continue;
    group.rows.push_back({row.variant.name, ratio->median, ratio->least, ratio->most,
                          row.variant.bubbles != nullptr});
  }
  return group;
}

}  // namespace

std::string to_svg(const Report& report) {
  bench::RangeRows picture;
  picture.title =
      fmt::format("Overheads inside of nested regions, {} cores, {}", report.cores, report.program);
  picture.about = fmt::format(
      "outer x inner threads; {} runs each: median [least..most]; grey: not under Lares, blue: "
      "lares run",
      report.rows.front().runs.size());
  picture.axis = "time / alone";
  picture.dots = true;
  picture.mark = {goal, fmt::format("{}", goal)};
  picture.cut = most_shown;
  for (const Row& row : report.rows) {
    // Each shape once.
    if (&row != &report.rows.front() && same_shape(row.shape, (&row - 1)->shape)) continue;
    for (std::size_t c = 0; c < constructs().size(); ++c) {
      picture.groups.push_back(ratios_of(report, row, c));
    }
  }
  return bench::to_svg(picture);
}

}  // namespace lares::cli::nested_overheads
