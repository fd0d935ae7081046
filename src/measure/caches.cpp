#include "measure/caches.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "base/file_stream.hpp"

namespace lares::measure {
namespace {

/// The first line, or nothing.
std::string read_line(const std::string& path) {
  const FileStream file(std::fopen(path.c_str(), "re"));
  char line[4096];
  if (!file || std::fgets(line, sizeof line, file.get()) == nullptr) return {};
  line[std::strcspn(line, "\n")] = '\0';
  return line;
}

/// "32768K", "8M"
Bytes parse_size(const std::string& text) {
  char* end = nullptr;
  const std::uint64_t number = std::strtoull(text.c_str(), &end, 10);
  if (end == nullptr || *end == '\0') return {number};
  return {number << (*end == 'M' ? 20U : *end == 'K' ? 10U : 0U)};
}

/// Whether "0-3,8" names `cpu`.
bool lists(const std::string& text, OsCpu cpu) {
  const char* at = text.c_str();
  while (*at != '\0') {
    char* end = nullptr;
    const long first = std::strtol(at, &end, 10);
    long last = first;
    if (end == at) return false;
    if (*end == '-') last = std::strtol(end + 1, &end, 10);
    if (first <= cpu.value() && cpu.value() <= last) return true;
    at = *end == ',' ? end + 1 : end;
  }
  return false;
}

}  // namespace

LastCache last_cache(OsCpu cpu, std::span<const OsCpu> cpus) {
  LastCache last;
  const std::string folder =
      "/sys/devices/system/cpu/cpu" + std::to_string(cpu.value()) + "/cache/index";
  for (int index = 0; index < 16; ++index) {
    const std::string cache = folder + std::to_string(index);
    const Bytes size = parse_size(read_line(cache + "/size"));
    if (size <= last.size) continue;
    const std::string shared = read_line(cache + "/shared_cpu_list");
    last.size = size;
    last.sharers = static_cast<std::size_t>(std::max<std::ptrdiff_t>(
        1, std::count_if(cpus.begin(), cpus.end(), [&](OsCpu c) { return lists(shared, c); })));
  }
  return last;
}

Bytes memory_footprint(std::span<const OsCpu> cpus) {
  constexpr std::uint64_t mebibyte = 1U << 20U;
  if (cpus.empty()) return {16 * mebibyte};
  const LastCache cache = last_cache(cpus[0], cpus);
  const std::uint64_t share = 4 * cache.size.count / cache.sharers;
  const std::uint64_t bytes = std::clamp(share, 16 * mebibyte, 256 * mebibyte);
  return {bytes / mebibyte * mebibyte};
}

Result<Bytes> fitting_footprint(Bytes wanted, std::span<const NodeNeed> needs) {
  constexpr std::uint64_t mebibyte = 1U << 20U;
  constexpr std::uint64_t page = 4096;
  for (const NodeNeed& need : needs) {
    if (need.room.count == 0 || need.footprints == 0) continue;
    const std::uint64_t most = need.room.count / 2 / need.footprints;
    if (most >= wanted.count) continue;
    if (most < mebibyte) {
      const std::string where = need.node.valid() ? "node " + std::to_string(need.node.value())
                                                  : std::string("the machine");
      return Error{"cannot measure: " + where + " has only " +
                   std::to_string(need.room.count / mebibyte) + " MiB free for " +
                   std::to_string(need.footprints) +
                   " threads, at least 2 MiB each are needed; free memory there, leave the domain "
                   "out, or measure with fewer cores"};
    }
    wanted = {most / page * page};
  }
  return wanted;
}

}  // namespace lares::measure
