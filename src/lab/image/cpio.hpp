// Archives in the form that Linux unpacks when it starts: cpio's "newc", described in the kernel's
// Documentation/driver-api/early-userspace/buffer-format.rst. Several of them may follow each other
// in one file; what a later one holds wins.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "lab/image/file.hpp"

namespace lares::lab {

/// What is remembered of a file beside its content.
struct FileAttributes {
  std::uint32_t permissions = 0644;  ///< the lower 12 bits of st_mode
  std::uint32_t user = 0;
  std::uint32_t group = 0;
  std::uint32_t modified = 0;  ///< seconds since 1970
};

/// Writes one archive into a file, from its current position, a multiple of 4. Names are absolute
/// paths, without "." and ".." and without symbolic links before their last part; any bytes but
/// zero may be in them. Folders that lead to a name are made (0755, root's) unless they were added
/// before. Each function returns the error that ended it: then the archive is of no use.
class CpioWriter {
 public:
  explicit CpioWriter(const File& file) : file_(file) {}

  std::optional<Error> add_folder(std::string_view name, const FileAttributes& attributes);
  std::optional<Error> add_link(std::string_view name, std::string_view target);
  std::optional<Error> add_bytes(std::string_view name, const FileAttributes& attributes,
                                 std::string_view bytes);
  /// The content of an open regular file, from its beginning.
  std::optional<Error> add_file(std::string_view name, const FileAttributes& attributes,
                                const File& content);
  /// A character device: 5, 1 is the console.
  std::optional<Error> add_device(std::string_view name, std::uint32_t permissions,
                                  std::uint32_t major, std::uint32_t minor);
  /// Ends the archive; nothing may follow.
  std::optional<Error> finish();

  /// The memory that the unpacked files take, in pages of 4 KiB.
  [[nodiscard]] Bytes unpacked() const noexcept { return unpacked_; }

 private:
  struct Header;
  std::optional<Error> add_parents(std::string_view name);
  std::optional<Error> write_header(std::string_view name, const Header& header);
  std::optional<Error> pad(std::uint64_t written);

  const File& file_;
  std::set<std::string, std::less<>> folders_;
  std::uint32_t next_number_ = 1;
  Bytes unpacked_;
};

}  // namespace lares::lab
