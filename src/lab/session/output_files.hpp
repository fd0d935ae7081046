// Files that the program wrote in the guest, as they come to this side.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/image/file.hpp"

namespace lares::lab {

/// Writes each under the path that it had in the guest. Not thread-safe.
class OutputFiles {
 public:
  explicit OutputFiles(std::vector<std::string> paths) : paths_(std::move(paths)) {}

  /// The calls follow the guest's frames. `reason` is an errno, 0 if there is a file.
  void begin(std::uint32_t number, std::uint32_t reason, std::uint32_t mode);
  void add(std::string_view bytes);
  void end(std::uint32_t reason);

  /// One sentence for every file that did not arrive whole.
  [[nodiscard]] const std::vector<std::string>& problems() const noexcept { return problems_; }

 private:
  void give_up(const std::string& sentence);

  std::vector<std::string> paths_;
  std::string path_;  ///< of the file that is coming
  File file_;         ///< not open: its bytes are dropped
  std::vector<std::string> problems_;
};

}  // namespace lares::lab
