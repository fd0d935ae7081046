// The private folder through which `lares run` and the preloaded libraries talk.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "cli/launch/environment.hpp"

namespace lares::cli {

/// A fresh folder that only this user can enter, in $XDG_RUNTIME_DIR, /dev/shm, $TMPDIR or /tmp. It
/// holds the file `machine`; processes add `stats.<pid>`. Removed with the object.
///
/// The file `machine` is locked as long as the launcher lives. A launcher that was killed leaves
/// its folder behind without a lock, and the next `lares run` removes it.
class Session {
 public:
  /// An error says that no place could be written.
  static Result<Session> create(const Environment& environment, std::string_view machine);
  Session(Session&& other) noexcept;
  Session& operator=(Session&& other) = delete;
  ~Session();

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  Session(std::string path, int lock) noexcept : path_(std::move(path)), lock_(lock) {}

  std::string path_;
  int lock_ = -1;  ///< the open file `machine`
};

}  // namespace lares::cli
