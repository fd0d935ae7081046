#include "analysis/session_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string_view>

namespace lares::analysis {
namespace {

class File {
 public:
  // O_NONBLOCK and O_NOFOLLOW: whatever lies in the directory, opening it must not hang.
  explicit File(const std::string& path) noexcept
      : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  [[nodiscard]] std::vector<std::byte> read_up_to(std::size_t limit) const {
    struct stat status{};
    if (descriptor_ < 0 || fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) return {};
    std::vector<std::byte> bytes(std::min(static_cast<std::size_t>(status.st_size), limit));
    std::size_t filled = 0;
    while (filled < bytes.size()) {
      const ssize_t got = read(descriptor_, bytes.data() + filled, bytes.size() - filled);
      if (got <= 0) break;
      filled += static_cast<std::size_t>(got);
    }
    bytes.resize(filled);
    return bytes;
  }

 private:
  int descriptor_;
};

}  // namespace

std::vector<std::byte> read_session_file(const std::string& path, std::size_t limit) {
  return File(path).read_up_to(limit);
}

std::vector<std::string> paths_in(const std::string& folder, const std::string& prefix) {
  std::vector<std::string> paths;
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(opendir(folder.c_str()), &closedir);
  if (!listing) return paths;
  while (const dirent* entry = readdir(listing.get())) {
    const std::string_view name = entry->d_name;
    if (name.size() <= prefix.size() || !name.starts_with(prefix)) continue;
    std::string& path = paths.emplace_back(folder);
    path += '/';
    path += name;
  }
  return paths;
}

}  // namespace lares::analysis
