#include "cli/study/nested_overheads/figures.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "measure/spread.hpp"

namespace lares::cli::nested_overheads {

machine::Spread overhead_of(const Row& row, std::size_t construct) {
  std::vector<double> values;
  for (const auto& costs : row.runs) values.push_back(costs[construct].overhead);
  return measure::spread_of(std::move(values));
}

std::optional<machine::Spread> ratio_to_alone(const Report& report, const Row& row,
                                              std::size_t construct) {
  const auto alone = std::find_if(report.rows.begin(), report.rows.end(), [&](const Row& other) {
    return std::string_view(other.variant.name) == "alone" && same_shape(other.shape, row.shape);
  });
  if (alone == report.rows.end()) return std::nullopt;
  std::vector<double> values;
  for (std::size_t run = 0; run < row.runs.size(); ++run) {
    values.push_back(row.runs[run][construct].whole / alone->runs[run][construct].whole);
  }
  return measure::spread_of(std::move(values));
}

}  // namespace lares::cli::nested_overheads
