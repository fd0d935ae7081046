#include "memory/manager/usage.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

namespace lares::memory {
namespace {

Bytes field(std::string_view text, std::string_view name) noexcept {
  const std::size_t at = text.find(name);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + name.size());
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  std::uint64_t kib = 0;
  std::from_chars(text.data(), text.data() + text.size(), kib);
  return {kib * 1024};
}

}  // namespace

Usage parse_usage(std::string_view meminfo) noexcept {
  // A node's file has FilePages, that of the machine Cached; both count shared memory, which stays.
  const Bytes files = std::max(field(meminfo, " FilePages:"), field(meminfo, "\nCached:"));
  const Bytes shared = field(meminfo, "Shmem:");
  return {field(meminfo, "MemTotal:"),
          field(meminfo, "MemFree:"),
          {files > shared ? files.count - shared.count : 0}};
}

Usage usage_of(OsNode node) noexcept {
  std::array<char, 80> path{"/proc/meminfo"};
  if (node.valid()) {
    std::snprintf(path.data(), path.size(), "/sys/devices/system/node/node%d/meminfo",
                  static_cast<int>(node.value()));
  }
  const int file = open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  std::array<char, 4096> text;
  const ssize_t got = read(file, text.data(), text.size());
  close(file);
  return got <= 0 ? Usage{} : parse_usage({text.data(), static_cast<std::size_t>(got)});
}

}  // namespace lares::memory
