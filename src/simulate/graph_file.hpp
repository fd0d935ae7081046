// Task graphs of real programs, as text: docs/task-graph.md.
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "simulate/workload.hpp"

namespace lares::simulate {

/// Reads a whole graph; any bytes are safe to give it. Homes are taken modulo `domains`, so that a
/// graph from one machine can be simulated on another. Errors name the line. O(text).
/// Precondition: domains > 0.
Result<Workload> parse_graph(std::string_view text, std::size_t domains);

}  // namespace lares::simulate
