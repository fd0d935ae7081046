#include "memory/new_pages.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "memory/repair/large_area.hpp"
#include "memory/pointer.hpp"

namespace lares::memory {

NewPages::NewPages(const SystemCalls& calls, const MapsSource& maps, Bytes page) noexcept
    : calls_(calls), page_(page.count), seen_(2 * most_pages) {
  choose(maps);
}

namespace {

// What is new in `now` since `before`, which becomes it. Most of it is as it was.
NewPages::Found compare(std::uintptr_t begin, std::span<std::uint8_t> before,
                        std::span<const std::uint8_t> now, std::uint64_t page) noexcept {
  constexpr std::size_t at_once = 256;
  NewPages::Found found;
  for (std::size_t first = 0; first < before.size(); first += at_once) {
    const std::size_t some = std::min(at_once, before.size() - first);
    if (std::memcmp(&before[first], &now[first], some) == 0) continue;
    for (std::size_t i = first; i < first + some; ++i) {
      if ((now[i] & 1U) == 0 || (before[i] & 1U) != 0) continue;
      const std::uintptr_t at = begin + i * page;
      if (found.pages++ == 0) found.begin = at;
      found.end = at + page;
    }
    std::memcpy(&before[first], &now[first], some);
  }
  return found;
}

}  // namespace

void NewPages::choose(const MapsSource& maps) noexcept {
  bool fits = seen_.data() != nullptr;
  const auto own = reinterpret_cast<std::uintptr_t>(seen_.data());
  for_each_mapping(maps, [&](const Mapping& mapping) {
    const bool is_large = mapping.end - mapping.begin >= large_bytes;
    const bool is_data = mapping.data && mapping.anonymous && !mapping.shared;
    if (!fits || !is_large || !is_data || (mapping.begin <= own && own < mapping.end)) return;
    pages_ += (mapping.end - mapping.begin) / page_;
    fits = pages_ <= most_pages && count_ < most_areas;
    if (fits) areas_[count_++] = {mapping.begin, mapping.end};
  });
  if (!fits) count_ = 0;
}

NewPages::Found NewPages::look() noexcept {
  Found most;
  auto* before = static_cast<std::uint8_t*>(seen_.data());
  for (std::size_t a = 0; a < count_; ++a) {
    const Area& area = areas_[a];
    const std::size_t pages = (area.end - area.begin) / page_;
    std::uint8_t* const here = before + most_pages;
    // An area of which a part was unmapped meanwhile is left out.
    if (calls_.present(pointer(area.begin), area.end - area.begin, here) >= 0) {
      const Found found = compare(area.begin, {before, pages}, {here, pages}, page_);
      if (found.pages > most.pages) most = found;
    }
    before += pages;
  }
  return most;
}

}  // namespace lares::memory
