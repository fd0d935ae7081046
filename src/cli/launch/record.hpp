// `lares run --record FILE`: asks the preloaded libraries to write down the program's tasks, and
// makes the task graph of it.
#pragma once

#include <string>
#include <vector>

#include "base/ids.hpp"
#include "cli/launch/session.hpp"

namespace lares::cli {

/// Before the program starts: lets its processes write down what their threads do. All records
/// together may take `limit`, of which `used` is taken. They find the request in the session's
/// folder.
void ask_for_records(const Session& session, Bytes limit, Bytes used);

/// The file for the graph. Opened before the program starts, so that a wrong name costs no run.
class RecordFile {
 public:
  /// With an empty name no graph is made. Throws UserMistake if the file cannot be written.
  explicit RecordFile(std::string name);
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;
  ~RecordFile();

  [[nodiscard]] bool is_wanted() const noexcept { return file_ >= 0; }

  /// After the program's end: writes the graph of the records in `folder`. Answers sentences for
  /// the user: what is missing in it.
  [[nodiscard]] std::vector<std::string> write(const std::string& folder,
                                               const std::vector<std::string>& command) const;

 private:
  std::string name_;
  int file_ = -1;
};

}  // namespace lares::cli
