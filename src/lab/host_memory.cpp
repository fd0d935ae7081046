#include "lab/host_memory.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string>

#include "base/file_stream.hpp"
#include "lab/guest.hpp"

namespace lares::lab {
namespace {

/// The number that `text` starts with, if it does.
std::optional<std::uint64_t> number(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::uint64_t value = 0;
  const auto [unused, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{}) return std::nullopt;
  return value;
}

/// This process' control group below the mount point, such as "user.slice/lares".
std::filesystem::path own_group() {
  const std::string groups = read_text("/proc/self/cgroup");
  constexpr std::string_view unified = "0::/";
  const std::size_t start = groups.find(unified);
  if (start == std::string::npos) return {};
  const std::size_t from = start + unified.size();
  return groups.substr(from, groups.find('\n', from) - from);
}

/// What is left of one group's limit; nothing if it has none ("max").
std::optional<std::uint64_t> left_in(const std::filesystem::path& group) {
  const auto limit = number(read_text(group / "memory.max"));
  const auto used = number(read_text(group / "memory.current"));
  if (!limit || !used) return std::nullopt;
  return *limit > *used ? *limit - *used : 0;
}

std::uint64_t left_in_groups(std::uint64_t most) {
  const std::filesystem::path root = "/sys/fs/cgroup";
  for (std::filesystem::path group = own_group();; group = group.parent_path()) {
    most = std::min(most, left_in(root / group).value_or(most));
    if (group.empty()) return most;
  }
}

}  // namespace

Bytes available_in_meminfo(std::string_view meminfo) {
  constexpr std::string_view name = "MemAvailable:";
  const std::size_t at = meminfo.find(name);
  if (at == std::string_view::npos) return {};
  return {number(meminfo.substr(at + name.size())).value_or(0) * kibibyte.count};
}

Bytes available_host_memory() {
  const Bytes whole = available_in_meminfo(read_text("/proc/meminfo"));
  return {left_in_groups(whole.count) / mebibyte.count * mebibyte.count};
}

}  // namespace lares::lab
