// The task graph of a recorded program as text: docs/task-graph.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/record_file.hpp"

namespace lares::analysis {

struct TaskGraph {
  std::string text;             ///< only a head if there are no tasks and no loops
  std::uint32_t pid = 0;        ///< of the process whose graph it is
  std::size_t tasks = 0;        ///< in the graph
  std::size_t loops = 0;        ///< in the graph
  std::size_t processes = 0;    ///< that created tasks or had loops
  std::size_t not_started = 0;  ///< tasks that had not begun when the program ended; left out
  bool full = false;            ///< there was no room for all of it
};

/// The graph of the process that created the most tasks, or, without any, had the most loops.
/// `about` stands in a comment, on one line. O(events log events).
TaskGraph write_task_graph(std::vector<RecordedStream> streams, const std::string& about);

}  // namespace lares::analysis
