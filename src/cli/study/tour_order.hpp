// In which order benchmarks fill the domains with threads.
#pragma once

#include <vector>

#include "base/ids.hpp"
#include "machine/machine.hpp"

namespace lares::cli {

/// The domains with cores, along the tour that `lares places` prints.
std::vector<DomainId> along_the_tour(const machine::Machine& machine);

}  // namespace lares::cli
