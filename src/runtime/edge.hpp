// The arrows of the dependence graph, as lists of successors (dependences.hpp).
#pragma once

#include <cstdint>

namespace lares::runtime {

struct Task;

/// One arrow of the dependence graph: `successor` waits for the task whose list holds this edge.
/// Lives in the successor, which outlives the edge: it cannot run before the edge is consumed.
struct Edge {
  Task* successor = nullptr;
  Edge* next = nullptr;
  bool on_heap = false;  ///< the successor had more predecessors than room for edges
};

/// The end of a task's list of successors once it has completed: no edge can be added any more.
inline Edge* closed_edges() noexcept { return reinterpret_cast<Edge*>(std::uintptr_t{1}); }

}  // namespace lares::runtime
