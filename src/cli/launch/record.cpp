#include "cli/launch/record.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "analysis/task_graph.hpp"
#include "cli/commands.hpp"
#include "runtime/record_format.hpp"

namespace lares::cli {
namespace {

bool write_whole(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::vector<std::string> notes_on(const analysis::TaskGraph& graph) {
  std::vector<std::string> notes;
  if (graph.tasks + graph.loops == 0) {
    notes.emplace_back("no task and no loop of Lares was seen, so none was recorded");
  }
  if (graph.processes > 1) {
    notes.push_back(
        fmt::format("{} processes created tasks or had loops; the graph is that of process {}, "
                    "which had the most",
                    graph.processes, graph.pid));
  }
  if (graph.not_started > 0) {
    notes.push_back(fmt::format("{} task{} had not started at the end and {} not in the graph",
                                graph.not_started, graph.not_started == 1 ? "" : "s",
                                graph.not_started == 1 ? "is" : "are"));
  }
  return notes;
}

}  // namespace

RecordFile::RecordFile(std::string name) : name_(std::move(name)) {
  if (name_.empty()) return;
  file_ = open(name_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
  if (file_ < 0) {
    throw UserMistake{
        {fmt::format("--record: cannot write \"{}\": {}", name_, std::strerror(errno))}};
  }
}

RecordFile::~RecordFile() {
  if (file_ >= 0) close(file_);
}

void ask_for_records(const Session& session, Bytes limit, Bytes used) {
  const std::string path = session.path() + "/record";
  const int request = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (request < 0) return;
  const runtime::RecordBudget budget{limit.count, used.count};
  // Mapped by the program's processes, so it comes with its contents or not at all.
  if (!write_whole(request, {reinterpret_cast<const char*>(&budget), sizeof(budget)})) {
    unlink(path.c_str());
  }
  close(request);
}

std::vector<std::string> RecordFile::write(const std::string& folder,
                                           const std::vector<std::string>& command) const {
  if (file_ < 0) return {};
  const analysis::TaskGraph graph = analysis::write_task_graph(
      analysis::read_records(folder), fmt::format("lares run {}", fmt::join(command, " ")));
  std::vector<std::string> notes = notes_on(graph);
  if (!write_whole(file_, graph.text)) {
    notes.push_back(fmt::format("cannot write \"{}\": {}", name_, std::strerror(errno)));
  }
  return notes;
}

}  // namespace lares::cli
