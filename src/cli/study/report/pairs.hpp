// Constructs of two runs that belong together: those of the same place.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/study/report/report.hpp"

namespace lares::cli {

/// A row of each run; null for the one that has no such construct.
template <class Row>
struct RowPair {
  std::string place;
  const Row* before = nullptr;
  const Row* after = nullptr;
};

/// Rows know their `construct`. In the order of the later run; what only the earlier one has comes
/// last, by place.
template <class Row>
std::vector<RowPair<Row>> pairs_of(const ReportedRun& before, const std::vector<Row>& rows_before,
                                   const ReportedRun& after, const std::vector<Row>& rows_after) {
  std::map<std::string, const Row*> alone;
  for (const Row& row : rows_before) alone[place_of(before, row.construct)] = &row;
  std::vector<RowPair<Row>> pairs;
  for (const Row& row : rows_after) {
    const std::string place = place_of(after, row.construct);
    const auto at = alone.find(place);
    pairs.push_back({place, at == alone.end() ? nullptr : at->second, &row});
    if (at != alone.end()) alone.erase(at);
  }
  for (const auto& [place, row] : alone) pairs.push_back({place, row, nullptr});
  return pairs;
}

}  // namespace lares::cli
