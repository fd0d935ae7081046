#include "cli/study/simulate/trace_graph.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "analysis/record_file.hpp"
#include "analysis/task_graph.hpp"
#include "cli/commands.hpp"

namespace lares::cli {
namespace {

constexpr const char* file_prefix = "file:";

std::string graph_of(const std::string& folder) {
  const auto streams = analysis::read_records(folder);
  if (streams.empty()) {
    throw UserMistake{{fmt::format(
        "\"{}\" has no records; lares run --trace {} -- ./app makes some", folder, folder)}};
  }
  return analysis::write_task_graph(streams, fmt::format("lares run --trace {}", folder)).text;
}

std::string write_temporary(const std::string& text) {
  std::string name = (std::filesystem::temp_directory_path() / "lares-graph-XXXXXX").string();
  const int file = mkstemp(name.data());
  if (file >= 0) close(file);
  std::ofstream out(name, std::ios::binary);
  out << text;
  out.close();
  if (file < 0 || !out) {
    unlink(name.c_str());
    throw UserMistake{
        {fmt::format("cannot write \"{}\", which the trace's task graph needs", name)}};
  }
  return name;
}

}  // namespace

TraceGraph::TraceGraph(std::string workload) : workload_(std::move(workload)) {
  if (!workload_.starts_with(file_prefix)) return;
  const std::string folder = workload_.substr(std::string_view(file_prefix).size());
  std::error_code failed;
  if (!std::filesystem::is_directory(folder, failed)) return;
  file_ = write_temporary(graph_of(folder));
  workload_ = file_prefix + file_;
}

TraceGraph::~TraceGraph() {
  if (!file_.empty()) unlink(file_.c_str());
}

}  // namespace lares::cli
