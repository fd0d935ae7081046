#include "lab/image/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

namespace lares::lab {
namespace {

constexpr std::size_t copied_at_once = std::size_t{1} << 20U;

/// Reads until `wanted` bytes are there or the file ends; -1 for an error.
ssize_t read_up_to(int descriptor, char* buffer, std::size_t wanted) noexcept {
  std::size_t got = 0;
  while (got < wanted) {
    const ssize_t count = read(descriptor, buffer + got, wanted - got);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -1;
    if (count == 0) break;
    got += static_cast<std::size_t>(count);
  }
  return static_cast<ssize_t>(got);
}

}  // namespace

File::~File() {
  if (descriptor_ >= 0) close(descriptor_);
}

Error file_error(std::string_view doing, std::string_view name, int error_number) {
  return {fmt::format("cannot {} \"{}\": {}", doing, name, std::strerror(error_number))};
}

Result<File> open_for_reading(const std::string& path) {
  // A pipe without a writer would otherwise be waited for.
  File file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.is_open()) return file_error("read", path, errno);
  struct stat status{};
  if (fstat(file.descriptor(), &status) != 0) return file_error("read", path, errno);
  if (S_ISDIR(status.st_mode)) return file_error("read", path, EISDIR);
  if (!S_ISREG(status.st_mode)) {
    return Error{fmt::format("cannot read \"{}\": it is no regular file", path)};
  }
  return file;
}

Result<File> memory_file(const char* name) {
  File file(memfd_create(name, MFD_CLOEXEC));
  if (!file.is_open()) return file_error("make the memory file", name, errno);
  return file;
}

Result<Bytes> size_of(const File& file, std::string_view name) {
  struct stat status{};
  if (fstat(file.descriptor(), &status) != 0) return file_error("read", name, errno);
  return Bytes{static_cast<std::uint64_t>(status.st_size)};
}

Result<std::string> read_file(const std::string& path, Bytes limit) {
  const auto file = open_for_reading(path);
  if (!file) return file.error();
  std::string text;
  std::vector<char> buffer(std::size_t{1} << 16U);
  for (;;) {
    const ssize_t count = read_up_to(file.value().descriptor(), buffer.data(), buffer.size());
    if (count < 0) return file_error("read", path, errno);
    if (count == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
    if (text.size() > limit.count) {
      return Error{
          fmt::format("cannot read \"{}\": it is larger than {} bytes", path, limit.count)};
    }
  }
}

std::optional<Error> write_all(const File& file, std::string_view bytes, std::string_view name) {
  while (!bytes.empty()) {
    const ssize_t count = write(file.descriptor(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return file_error("write", name, errno);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return std::nullopt;
}

std::optional<Error> append_file(const File& to, const File& from, Bytes size,
                                 std::string_view name) {
  if (lseek(from.descriptor(), 0, SEEK_SET) < 0) return file_error("read", name, errno);
  std::vector<char> buffer(std::min<std::uint64_t>(size.count, copied_at_once));
  for (std::uint64_t left = size.count; left > 0;) {
    const std::size_t wanted = std::min<std::uint64_t>(left, buffer.size());
    const ssize_t count = read_up_to(from.descriptor(), buffer.data(), wanted);
    if (count < 0) return file_error("read", name, errno);
    if (static_cast<std::size_t>(count) < wanted) {
      return Error{fmt::format("cannot read \"{}\": it became shorter meanwhile", name)};
    }
    if (auto error = write_all(to, {buffer.data(), wanted}, name)) return error;
    left -= wanted;
  }
  return std::nullopt;
}

Result<MappedFile> MappedFile::open(const std::string& path) {
  const auto file = open_for_reading(path);
  if (!file) return file.error();
  const auto size = size_of(file.value(), path);
  if (!size) return size.error();
  if (size.value().count == 0) return MappedFile(nullptr, 0);
  void* data =
      mmap(nullptr, size.value().count, PROT_READ, MAP_PRIVATE, file.value().descriptor(), 0);
  if (data == MAP_FAILED) return file_error("read", path, errno);
  return MappedFile(data, size.value().count);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(data_, size_);
}

std::string find_in_path(const std::string& name, std::string path) {
  if (path.empty()) path = "/bin:/usr/bin";
  for (std::size_t start = 0; start < path.size();) {
    const std::size_t end = std::min(path.find(':', start), path.size());
    const std::string candidate = path.substr(start, end - start) + "/" + name;
    std::error_code failure;
    if (end > start && std::filesystem::is_regular_file(candidate, failure) &&
        access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
    start = end + 1;
  }
  return {};
}

}  // namespace lares::lab
