// The machine as this process sees it, without hwloc.
#pragma once

#include "machine/machine.hpp"

namespace lares::api {

/// The machine of `lares run` if this process runs under it, else the NUMA nodes and processors
/// that the kernel lists in /sys and lets this process use; one domain if it lists none.
machine::Machine machine_here();

/// The numbers of a list such as "0-3,8". Stops at what it does not understand.
std::vector<int> parse_list(std::string_view text);

}  // namespace lares::api
