// Distances between the guest's nodes: presets, files, and how they are made to fit firmware's
// table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace lares::lab {

/// A square matrix in the scale of the firmware's table (SLIT): 10 is local. Row = from.
struct DistanceTable {
  std::size_t size = 0;
  std::vector<std::uint32_t> values;  ///< size x size
};

/// A topology that can be named.
struct DistancePreset {
  const char* name;
  const char* summary;
};

/// All presets, in the order in which they are shown. Immutable.
const std::vector<DistancePreset>& distance_presets();

/// The names, for sentences: "fully-connected, ring, ...".
std::string distance_preset_names();

/// The table of a preset for `nodes` nodes (at least 1). The error says which numbers of nodes the
/// preset takes, or which presets there are.
///   fully-connected  every other node is 20 away
///   ring             16 to a neighbour on a ring, 6 more for every further hop
///   square           a ring of exactly four
///   mesh             hops in a grid that is as near to a square as the number allows, as in a ring
///   two-level        12 within a group, 32 between groups; groups as in two_level_group()
Result<DistanceTable> preset_distances(std::string_view name, std::size_t nodes);

/// How many nodes a group of `two-level` has: the largest divisor of `nodes` whose square is not
/// larger than it; 1 for a prime.
std::size_t two_level_group(std::size_t nodes);

/// Reads any bytes: JSON (a list of rows), rows of numbers with blanks or commas between them and
/// `#` before comments, or what `numactl --hardware` prints. What it returns has 10 on the diagonal
/// and 10 to 65535 elsewhere; it may be asymmetric. Errors name `file` and the place.
Result<DistanceTable> parse_distances(std::string_view text, std::string_view file);

/// Makes `table` one that a guest accepts: 10 on the diagonal, 11 to 254 elsewhere. Smaller ones
/// are raised to 11. If one is larger than 254, all but the diagonal are scaled: the largest
/// becomes 254, and what exceeds 10 keeps its proportion. What was changed is added to `notes`.
void fit_distances(DistanceTable& table, std::vector<std::string>& notes);

}  // namespace lares::lab
