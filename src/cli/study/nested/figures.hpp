// The figures of a row: of one kernel, phase or team over all repetitions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/study/nested/report.hpp"

namespace lares::cli::nested {

/// The least, the mean and the most of what the repetitions and teams had, as in the paper's
/// tables.
struct Range {
  double least = 0, mean = 0, most = 0;
};

/// Precondition: not empty.
Range range_of(const std::vector<double>& values);

/// Of all teams in one phase.
Range rates_of(const Row& row, std::size_t phase, const std::string& kernel);
Range seconds_of(const Row& row, std::size_t phase);
/// Of one team.
Range team_seconds(const Row& row, std::size_t team);
Range moved_bytes(const Row& row);

/// Of all teams in one phase, or of one.
Range shares_of(const Row& row, std::size_t phase, double TeamPhase::* share,
                std::optional<std::size_t> team = {});

}  // namespace lares::cli::nested
