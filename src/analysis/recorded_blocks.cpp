#include "analysis/recorded_blocks.hpp"

#include <algorithm>

namespace lares::analysis {

void BlockSightings::see(const RecordedAccess& access, std::uint64_t at) {
  if (access.mode == runtime::RecordMode::all_memory) return;
  add({access.address, access.bytes, access.mapping_end, access.home, at});
}

void BlockSightings::merge(const BlockSightings& other) {
  for (const auto& each : other.by_address_) add(each.second);
}

void BlockSightings::add(const Sighting& sighting) {
  Sighting& known = by_address_[sighting.address];
  known.address = sighting.address;
  known.told = std::max(known.told, sighting.told);
  known.mapping_end = std::max(known.mapping_end, sighting.mapping_end);
  if (sighting.home != runtime::record_home_not_asked && sighting.home_at < known.home_at) {
    known.home = sighting.home;
    known.home_at = sighting.home_at;
  }
}

std::uint64_t BlockSightings::estimate(const std::vector<Sighting>& sorted, std::size_t i) {
  const Sighting& here = sorted[i];
  if (here.mapping_end <= here.address) return 0;
  if (i + 1 < sorted.size() && sorted[i + 1].address < here.mapping_end) {
    return sorted[i + 1].address - here.address;
  }
  if (i == 0 || sorted[i - 1].mapping_end != here.mapping_end) return 0;
  return std::min(here.address - sorted[i - 1].address, here.mapping_end - here.address);
}

// Who names data while another thread reads the kernel's list is not told where its mapping ends;
// what was named below it in the same mapping tells. A mapping has no holes.
void BlockSightings::complete_mappings(std::vector<Sighting>& sorted) {
  std::uint64_t end = 0;
  for (Sighting& here : sorted) {
    if (here.mapping_end == 0 && here.address < end) here.mapping_end = end;
    if (here.mapping_end != 0) end = here.mapping_end;
  }
}

RecordedBlocks BlockSightings::blocks() const {
  std::vector<Sighting> sorted;
  sorted.reserve(by_address_.size());
  for (const auto& each : by_address_) sorted.push_back(each.second);
  std::sort(sorted.begin(), sorted.end(),
            [](const Sighting& a, const Sighting& b) { return a.address < b.address; });
  complete_mappings(sorted);
  RecordedBlocks blocks;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    RecordedBlock block;
    block.bytes = sorted[i].told != 0 ? sorted[i].told : estimate(sorted, i);
    if (sorted[i].home >= runtime::record_first_home) {
      block.home = static_cast<std::int64_t>(sorted[i].home - runtime::record_first_home);
    }
    blocks[sorted[i].address] = block;
  }
  return blocks;
}

RecordedBlocks find_blocks(std::span<const RecordedStream> streams) {
  BlockSightings seen;
  for (const RecordedStream& stream : streams) {
    for (const RecordedEvent& event : stream.events) {
      for (std::size_t i = 0; i < event.access_count; ++i) {
        seen.see(stream.accesses[event.first_access + i], event.at);
      }
    }
  }
  return seen.blocks();
}

}  // namespace lares::analysis
