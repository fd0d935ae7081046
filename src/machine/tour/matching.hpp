// Pairs up vertices at the least total weight.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "machine/tour/tour.hpp"

namespace lares::machine {

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

/// From here on the matching is found by exchange and need not be minimal.
inline constexpr std::size_t max_minimal_matching = 20;

/// A perfect matching of `vertices`, which must be even in number. Up to max_minimal_matching of
/// them it is minimal, by dynamic programming over subsets in O(2^k k); beyond, the nearest pairs
/// first and then exchanges between two pairs as long as one gains.
Pairs match(const TourGraph& graph, std::span<const std::size_t> vertices);

}  // namespace lares::machine
