#include "analysis/recorded_blocks.hpp"

#include <algorithm>
#include <vector>

namespace lares::analysis {
namespace {

struct Sighting {
  std::uint64_t address = 0;
  std::uint64_t told = 0;
  std::uint64_t mapping_end = 0;
  std::uint64_t home = runtime::record_home_not_asked;
  std::uint64_t home_at = ~std::uint64_t{0};
};

class Sightings {
 public:
  void take(const RecordedStream& stream) {
    for (const RecordedEvent& event : stream.events) {
      for (std::size_t i = 0; i < event.access_count; ++i) {
        see(stream.accesses[event.first_access + i], event.at);
      }
    }
  }

  [[nodiscard]] std::vector<Sighting> sorted() const {
    std::vector<Sighting> list;
    list.reserve(by_address_.size());
    for (const auto& each : by_address_) list.push_back(each.second);
    std::sort(list.begin(), list.end(),
              [](const Sighting& a, const Sighting& b) { return a.address < b.address; });
    return list;
  }

 private:
  void see(const RecordedAccess& access, std::uint64_t at) {
    if (access.mode == runtime::RecordMode::all_memory) return;
    Sighting& known = by_address_[access.address];
    known.address = access.address;
    known.told = std::max(known.told, access.bytes);
    known.mapping_end = std::max(known.mapping_end, access.mapping_end);
    if (access.home != runtime::record_home_not_asked && at < known.home_at) {
      known.home = access.home;
      known.home_at = at;
    }
  }

  std::unordered_map<std::uint64_t, Sighting> by_address_;
};

std::uint64_t estimate(const std::vector<Sighting>& list, std::size_t i) {
  const Sighting& here = list[i];
  if (here.mapping_end <= here.address) return 0;
  if (i + 1 < list.size() && list[i + 1].address < here.mapping_end) {
    return list[i + 1].address - here.address;
  }
  if (i == 0 || list[i - 1].mapping_end != here.mapping_end) return 0;
  return std::min(here.address - list[i - 1].address, here.mapping_end - here.address);
}

}  // namespace

RecordedBlocks find_blocks(std::span<const RecordedStream> streams) {
  Sightings seen;
  for (const RecordedStream& stream : streams) seen.take(stream);
  const std::vector<Sighting> list = seen.sorted();
  RecordedBlocks blocks;
  for (std::size_t i = 0; i < list.size(); ++i) {
    RecordedBlock block;
    block.bytes = list[i].told != 0 ? list[i].told : estimate(list, i);
    if (list[i].home >= runtime::record_first_home) {
      block.home = static_cast<std::int64_t>(list[i].home - runtime::record_first_home);
    }
    blocks[list[i].address] = block;
  }
  return blocks;
}

}  // namespace lares::analysis
