#include "memory/repair/pins.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace lares::memory {
namespace {

/// By what it is open for. Terminals, /dev/null and the like pin nothing.
bool pins(int descriptor, const char* name) noexcept {
  const int flags = fcntl(descriptor, F_GETFL);
  if (flags >= 0 && (flags & O_DIRECT) != 0) return true;
  std::array<char, 64> path;
  std::snprintf(path.data(), path.size(), "/proc/self/fd/%s", name);
  std::array<char, 256> target;
  const ssize_t length = readlink(path.data(), target.data(), target.size());
  if (length <= 0) return false;
  const std::string_view to(target.data(), static_cast<std::size_t>(length));
  for (const std::string_view device : {"/dev/infiniband/", "/dev/nvidia", "/dev/dri/", "/dev/kfd",
                                        "/dev/vfio/", "/dev/xpmem", "anon_inode:[io_uring]"}) {
    if (to.starts_with(device)) return true;
  }
  return false;
}

}  // namespace

bool has_locked_memory() noexcept {
  std::FILE* const status = std::fopen("/proc/self/status", "re");
  if (status == nullptr) return true;
  std::array<char, 256> line;
  bool locked = false;
  while (std::fgets(line.data(), static_cast<int>(line.size()), status) != nullptr) {
    std::uint64_t kib = 0;
    if (std::sscanf(line.data(), "VmPin: %" SCNu64, &kib) == 1 && kib > 0) locked = true;
    if (std::sscanf(line.data(), "VmLck: %" SCNu64, &kib) == 1 && kib > 0) locked = true;
  }
  std::fclose(status);
  return locked;
}

bool may_pin_memory() noexcept {
  DIR* const descriptors = opendir("/proc/self/fd");
  if (descriptors == nullptr) return true;
  bool found = false;
  while (const dirent* const entry = readdir(descriptors)) {
    if (entry->d_name[0] == '.') continue;
    found = found || pins(std::atoi(entry->d_name), entry->d_name);
  }
  closedir(descriptors);
  return found;
}

}  // namespace lares::memory
