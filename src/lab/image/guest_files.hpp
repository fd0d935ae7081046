// The host's files that the guest shall have at the same paths.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "lab/image/cpio.hpp"

namespace lares::lab {

/// Collects files, with the folders and symbolic links through which each is reached, so that every
/// path means in the guest what it means here. One thread uses it.
class GuestFiles {
 public:
  enum class Kind : std::uint8_t { folder, link, file };
  struct Entry {
    Kind kind = Kind::file;
    FileAttributes attributes;
    std::string target;  ///< of a link
  };
  /// By path: absolute, without "." and "..", no symbolic link before the last part. Parents come
  /// before what is in them.
  using Entries = std::map<std::string, Entry, std::less<>>;

  /// A regular file that can be read, or a folder without what is in it. Returns its path without
  /// any symbolic links. What the guest has of its own (/proc, /sys, /dev) is refused.
  Result<std::string> add(std::string_view path);
  /// A file, or a folder with everything below it. Links are followed, those that lead nowhere are
  /// kept.
  std::optional<Error> add_all(std::string_view path);

  [[nodiscard]] const Entries& entries() const noexcept { return entries_; }

  /// Writes what was collected; the files are read now.
  [[nodiscard]] std::optional<Error> write(CpioWriter& archive) const;

 private:
  class Walk;
  Entries entries_;
};

}  // namespace lares::lab
