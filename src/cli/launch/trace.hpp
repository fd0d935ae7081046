// `lares run --trace DIR`: the folder into which the preloaded libraries write what the program's
// threads do, with what else is known of the run.
#pragma once

#include <string>
#include <vector>

#include "analysis/run_about.hpp"
#include "cli/launch/session.hpp"

namespace lares::cli {

/// Does nothing if it has no name.
class TraceFolder {
 public:
  /// Makes the folder. Throws UserMistake if it cannot be made, or is there and not empty.
  explicit TraceFolder(const std::string& name);

  [[nodiscard]] bool is_wanted() const noexcept { return !path_.empty(); }
  /// Absolute.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  /// Before the program starts: lets its processes find the folder, and says in it that the run has
  /// not finished, which stays there if this process is killed. Answers a sentence for the user if
  /// that cannot be done.
  [[nodiscard]] std::vector<std::string> begin(const Session& session,
                                               const analysis::RunAbout& about) const;
  /// After its end: looks up where the constructs stand in the source, and completes `about`.
  /// Answers a sentence for the user if that cannot be written.
  [[nodiscard]] std::vector<std::string> finish(analysis::RunAbout about) const;

 private:
  [[nodiscard]] std::vector<std::string> write(const analysis::RunAbout& about) const;

  std::string path_;
};

}  // namespace lares::cli
