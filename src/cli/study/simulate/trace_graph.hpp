// A trace folder as a workload of `lares simulate`.
#pragma once

#include <string>

namespace lares::cli {

/// The task graph of a trace in a file of its own, which goes with the object; for any workload
/// that is no file:FOLDER nothing is made.
class TraceGraph {
 public:
  /// Throws UserMistake if the folder has no records, or no file can be written.
  explicit TraceGraph(std::string workload);
  TraceGraph(const TraceGraph&) = delete;
  TraceGraph& operator=(const TraceGraph&) = delete;
  ~TraceGraph();

  /// What simulate::make_workload takes.
  [[nodiscard]] const std::string& workload() const noexcept { return workload_; }

 private:
  std::string workload_;
  std::string file_;
};

}  // namespace lares::cli
