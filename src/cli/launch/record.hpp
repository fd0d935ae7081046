// `lares run --record FILE`: asks the preloaded libraries to write down the program's tasks, and
// makes the task graph of it.
#pragma once

#include <string>
#include <vector>

#include "base/ids.hpp"
#include "cli/launch/session.hpp"

namespace lares::cli {

/// The file for the graph. Opened before the program starts, so that a wrong name costs no run.
class RecordFile {
 public:
  /// With an empty name nothing is recorded. `limit` is what the record, of which the graph is
  /// made, may take in the session's folder. Throws UserMistake if the file cannot be written.
  RecordFile(std::string name, Bytes limit);
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;
  ~RecordFile();

  /// Before the program starts: its processes find the request in the session's folder.
  void ask_for(const Session& session) const;
  /// After its end: writes the graph. Answers sentences for the user: what is missing in it.
  [[nodiscard]] std::vector<std::string> write(const Session& session,
                                               const std::vector<std::string>& command) const;

 private:
  std::string name_;
  Bytes limit_;
  int file_ = -1;
};

}  // namespace lares::cli
