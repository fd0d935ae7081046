// Open files that close themselves, and whole files read, mapped and written.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/ids.hpp"
#include "base/result.hpp"

namespace lares::lab {

/// Owns a file descriptor. Thread safety: a plain value.
class File {
 public:
  File() noexcept = default;
  explicit File(int descriptor) noexcept : descriptor_(descriptor) {}
  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File();

  [[nodiscard]] bool is_open() const noexcept { return descriptor_ >= 0; }
  /// -1 if not open.
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_ = -1;
};

/// `cannot DOING "NAME": REASON`, with the words of the error number.
Error file_error(std::string_view doing, std::string_view name, int error_number);

/// Opens a regular file for reading; what is no regular file is an error.
Result<File> open_for_reading(const std::string& path);

/// An unnamed file in memory. `name` is what /proc shows.
Result<File> memory_file(const char* name);

Result<Bytes> size_of(const File& file, std::string_view name);

/// A regular file's bytes; more than `limit` is an error.
Result<std::string> read_file(const std::string& path, Bytes limit);

/// Writes everything, from the file's current position. `name` is for the error.
std::optional<Error> write_all(const File& file, std::string_view bytes, std::string_view name);

/// Appends what lies in `from`, from its beginning, which must be `size` bytes.
std::optional<Error> append_file(const File& to, const File& from, Bytes size,
                                 std::string_view name);

/// A regular file's bytes, mapped for reading. Whoever shortens the file meanwhile ends the
/// program.
class MappedFile {
 public:
  static Result<MappedFile> open(const std::string& path);
  MappedFile(MappedFile&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  [[nodiscard]] std::string_view bytes() const noexcept {
    return {static_cast<const char*>(data_), size_};
  }

 private:
  MappedFile(void* data, std::size_t size) noexcept : data_(data), size_(size) {}
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

/// The first executable file `name` in the folders of `path`, a value of PATH; of the usual ones if
/// that is empty. "" if there is none.
std::string find_in_path(const std::string& name, std::string path);

}  // namespace lares::lab
