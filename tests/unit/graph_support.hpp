// What tests and fuzz targets ask of a graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulate/graph.hpp"
#include "simulate/workload.hpp"

namespace lares::simulate::test {

/// How many nodes of the phase run if each starts when those before it are done: all of them,
/// unless there is a cycle.
inline std::size_t reachable(const Workload& workload, const Phase& phase) {
  const Graph graph(workload, phase);
  std::vector<std::uint32_t> missing;
  std::vector<std::uint32_t> ready;
  for (std::uint32_t i = 0; i < phase.end - phase.first; ++i) {
    missing.push_back(graph.predecessors(i));
    if (missing.back() == 0) ready.push_back(i);
  }
  std::size_t done = 0;
  for (; !ready.empty(); ++done) {
    const std::uint32_t node = ready.back();
    ready.pop_back();
    for_each_released(graph, node, missing, [&](std::uint32_t next) { ready.push_back(next); });
  }
  return done;
}

}  // namespace lares::simulate::test
