// Writes distances back into a topology that hwloc's programs read.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "machine/discover.hpp"
#include "machine/machine.hpp"

namespace lares::machine {

/// Writes `file` as hwloc XML: the topology of `source` (of this process if that is a Lares machine
/// file, which has none) and in it a distance matrix "LaresMeasured" over the NUMA nodes of
/// `machine`'s domains. `values` are by domain, row after row; smaller is nearer. The firmware's
/// matrix stays beside it. Errors: domains without a node of their own, a node that the topology
/// does not have, an unknown distance, a file that cannot be written.
Result<bool> write_hwloc_distances(const Machine& machine, const std::vector<std::uint32_t>& values,
                                   const Source& source, const std::string& file);

}  // namespace lares::machine
