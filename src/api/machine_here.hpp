// The machine as this process sees it, without hwloc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "machine/machine.hpp"

namespace lares::api {

/// Where the kernel tells of its nodes, replaceable for tests.
struct Sources {
  std::string nodes = "/sys/devices/system/node";
  std::string status = "/proc/self/status";
};

/// The NUMA nodes and processors that these files list and that this process may use, those with
/// memory only last; one domain if they list none. Distances are the firmware's; where a row is not
/// as long as it must be, or not of numbers from 1 on, all are made up: 10 at home, else 20.
machine::Machine machine_of_nodes(const Sources& sources);

/// The machine of `lares run` if this process runs under it, else the NUMA nodes and processors
/// that the kernel lists.
machine::Machine machine_here();

/// The numbers of a list such as "0-3,8". Stops at what it does not understand.
std::vector<int> parse_list(std::string_view text);

}  // namespace lares::api
