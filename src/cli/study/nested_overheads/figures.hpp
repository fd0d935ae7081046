// The figures of a row: of one construct over all repetitions.
#pragma once

#include <cstddef>
#include <optional>

#include "cli/study/nested_overheads/report.hpp"
#include "machine/measurements.hpp"

namespace lares::cli::nested_overheads {

/// What a construct may cost at most, of its time alone.
constexpr double goal = 1.05;

/// In microseconds, without the delay that is inside.
machine::Spread overhead_of(const Row& row, std::size_t construct);

/// Over the time of the same shape alone in the same round; nothing if it did not run alone.
std::optional<machine::Spread> ratio_to_alone(const Report& report, const Row& row,
                                              std::size_t construct);

}  // namespace lares::cli::nested_overheads
