// The dependences among the tasks of one phase, found as OpenMP's `depend` finds them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulate/workload.hpp"

namespace lares::simulate {

/// Tasks are numbered from the phase's first.
class Graph {
 public:
  Graph() = default;
  /// Without dependences every task is free. O(accesses + edges).
  Graph(const Workload& workload, const Phase& phase);

  [[nodiscard]] std::uint32_t predecessors(std::uint32_t task) const noexcept {
    return predecessors_.empty() ? 0 : predecessors_[task];
  }
  /// In the order of their creation.
  [[nodiscard]] std::span<const std::uint32_t> successors(std::uint32_t task) const noexcept {
    if (begin_.empty()) return {};
    return {successors_.data() + begin_[task], begin_[task + 1] - begin_[task]};
  }

 private:
  std::vector<std::uint32_t> predecessors_;
  std::vector<std::uint32_t> begin_;  // by task, and the end
  std::vector<std::uint32_t> successors_;
};

/// `task` is done: takes it off `missing`, which counts for each task what it waits for, and calls
/// `release` for those that wait for nothing any more. As in the runtime, whose list of successors
/// starts with the one that was linked last.
template <class Release>
void for_each_released(const Graph& graph, std::uint32_t task, std::vector<std::uint32_t>& missing,
                       Release release) {
  const auto successors = graph.successors(task);
  for (std::size_t i = successors.size(); i-- > 0;) {
    if (--missing[successors[i]] == 0) release(successors[i]);
  }
}

}  // namespace lares::simulate
