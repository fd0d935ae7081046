#include "memory/new_pages.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "memory/pointer.hpp"
#include "memory/repair/large_area.hpp"

namespace lares::memory {

NewPages::NewPages(const SystemCalls& calls, const MapsSource& maps, Bytes page) noexcept
    : calls_(calls),
      page_(page.count),
      areas_memory_(most_areas * sizeof(Area)),
      told_memory_(most_told * sizeof(std::uintptr_t)),
      seen_(2 * most_pages) {
  choose(maps);
}

// New pages that lie near each other, compared with how near the first two do: rows of one matrix,
// but not two arrays that one mapping holds.
class NewPages::Clusters {
 public:
  explicit Clusters(std::uint64_t page) noexcept : page_(page) {}

  void add(std::uintptr_t at) noexcept {
    if (now_.pages == 1) reach_ = std::clamp(8 * (at - now_.end + page_), 16 * page_, 4096 * page_);
    if (now_.pages != 0 && at - now_.end > reach_) end();
    if (now_.pages++ == 0) now_.begin = at;
    now_.end = at + page_;
  }
  NewPages::Found largest() noexcept {
    end();
    return most_;
  }

 private:
  void end() noexcept {
    if (now_.pages > most_.pages) most_ = now_;
    now_ = {};
  }

  std::uint64_t page_;
  std::uintptr_t reach_ = 0;
  NewPages::Found now_;
  NewPages::Found most_;
};

// Adds what is new in `now` since `before`, which becomes it. Most of it is as it was.
void NewPages::compare(std::uintptr_t begin, std::span<std::uint8_t> before,
                       std::span<const std::uint8_t> now, Clusters& found) noexcept {
  constexpr std::size_t at_once = 256;
  for (std::size_t first = 0; first < before.size(); first += at_once) {
    const std::size_t some = std::min(at_once, before.size() - first);
    if (std::memcmp(&before[first], &now[first], some) == 0) continue;
    for (std::size_t i = first; i < first + some; ++i) {
      if ((now[i] & 1U) == 0 || (before[i] & 1U) != 0) continue;
      found.add(begin + i * page_);
      if (told_count_ < most_told) told()[told_count_++] = begin + i * page_;
    }
    std::memcpy(&before[first], &now[first], some);
  }
}

void NewPages::choose(const MapsSource& maps) noexcept {
  if (areas() == nullptr || told() == nullptr || seen_.data() == nullptr) return;
  const auto own = reinterpret_cast<std::uintptr_t>(seen_.data());
  for_each_mapping(maps, [&](const Mapping& mapping) {
    const std::uint64_t pages = (mapping.end - mapping.begin) / page_;
    const bool is_large = mapping.end - mapping.begin >= large_bytes;
    const bool is_data = mapping.data && mapping.anonymous && !mapping.shared;
    const bool is_own = mapping.begin <= own && own < mapping.end;
    if (!is_large || !is_data || is_own) return;
    // What a sanitizer or an allocator has reserved may be larger than any memory.
    if (count_ == most_areas || pages > most_pages - pages_) return;
    areas()[count_++] = {mapping.begin, mapping.end};
    pages_ += pages;
  });
}

bool NewPages::ask(std::uintptr_t begin, std::uint64_t pages, std::uint8_t* out) const noexcept {
  return calls_.present(pointer(begin), pages * page_, out) >= 0;
}

NewPages::Found NewPages::look() noexcept {
  Clusters found(page_);
  told_count_ = 0;
  auto* before = static_cast<std::uint8_t*>(seen_.data());
  for (std::size_t a = 0; a < count_; ++a) {
    const std::uintptr_t begin = areas()[a].begin;
    const std::uint64_t pages = (areas()[a].end - begin) / page_;
    if (a < first_) {
      before += pages;
      continue;
    }
    std::uint8_t* const here = before + most_pages;
    if (!ask(begin, pages, here)) {
      // A part was unmapped meanwhile, and is as it was.
      constexpr std::uint64_t piece = 64;
      for (std::uint64_t at = 0; at < pages; at += piece) {
        const std::uint64_t some = std::min(piece, pages - at);
        if (!ask(begin + at * page_, some, here + at)) std::memcpy(here + at, before + at, some);
      }
    }
    compare(begin, {before, pages}, {here, pages}, found);
    before += pages;
  }
  const Found most = found.largest();
  most_at_ = most.begin;
  return most;
}

void NewPages::stay_where_most_was_found() noexcept {
  for (std::size_t a = first_; a < count_; ++a) {
    if (most_at_ < areas()[a].begin || most_at_ >= areas()[a].end) continue;
    first_ = a;
    count_ = a + 1;
    return;
  }
}

}  // namespace lares::memory
