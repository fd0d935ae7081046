#include "runtime/shared_out.hpp"

#include <algorithm>
#include <limits>

namespace lares::runtime {

namespace {

constexpr auto relaxed = std::memory_order_relaxed;  // hints, all of it: see the class
constexpr std::size_t most_argument_words = 16;      // of a task's arguments that are looked at
// A pointer to the begin, behind what an allocator has there, may be of a task that is told the
// rest by numbers.
constexpr std::uintptr_t begin_bytes = 4096;
constexpr std::uint32_t most_uses = 64;    // more of a part are not counted in a round
constexpr std::uint32_t most_in_vain = 8;  // rounds

SharedOut g_shared_out;

}  // namespace

SharedOut& SharedOut::instance() noexcept { return g_shared_out; }

SharedOut::Area* SharedOut::area_of(std::uintptr_t address) noexcept {
  if (address < lowest_.load(relaxed) || address >= highest_.load(relaxed)) return nullptr;
  const std::span<Area> used = std::span(areas_).first(used_.load(relaxed));
  const auto found = std::find_if(used.begin(), used.end(), [address](const Area& area) {
    const decide::Part whole = area.whole();
    return whole.begin <= address && address < whole.end;
  });
  return found == used.end() ? nullptr : &*found;
}

template <class Says>
DomainId SharedOut::home_among(std::span<const std::uintptr_t> words,
                               std::span<const DomainId> domains, Says says) noexcept {
  const std::size_t parts = domains.size();
  if (parts < 2 || parts > decide::most_shares) return {};
  note(domains);
  decide::Votes votes;
  DomainId otherwise;
  for (const std::uintptr_t word : words.first(std::min(words.size(), most_argument_words))) {
    Area* const area = area_of(word);
    if (area == nullptr) continue;
    const decide::Part whole = area->whole();
    if (word < whole.begin || word >= whole.end) continue;  // it has changed since
    const std::size_t part = decide::share_of(whole, word, parts);
    const bool is_begin = word - whole.begin < begin_bytes;
    if (!says(*area, part, is_begin)) continue;
    if (is_begin) {
      otherwise = domains[part];
    } else {
      votes.add(domains[part]);
    }
  }
  const DomainId home = votes.most(otherwise);
  return home.valid() ? home : otherwise;
}

void SharedOut::note(std::span<const DomainId> domains) noexcept {
  if (parts_.load(relaxed) != domains.size()) parts_.store(domains.size(), relaxed);
  for (std::size_t i = 0; i < domains.size(); ++i) {
    const auto domain = static_cast<std::uint32_t>(domains[i].index());
    if (domains_[i].load(relaxed) != domain) domains_[i].store(domain, relaxed);
  }
}

DomainId SharedOut::home_of(std::span<const std::uintptr_t> words,
                            std::span<const DomainId> domains) noexcept {
  return home_among(words, domains, [](Area& area, std::size_t part, bool is_begin) {
    if (area.is_counted.load(relaxed) && !is_begin && area.uses[part].load(relaxed) < most_uses) {
      area.uses[part].fetch_add(1, relaxed);
    }
    return area.is_shared_out.load(relaxed);
  });
}

DomainId SharedOut::future_home_of(std::span<const std::uintptr_t> words,
                                   std::span<const DomainId> domains) noexcept {
  return home_among(words, domains, [](const Area& area, std::size_t /*part*/, bool /*is_begin*/) {
    return area.is_counted.load(relaxed) || area.is_shared_out.load(relaxed);
  });
}

std::uint32_t SharedOut::pointers_among(std::span<const std::uintptr_t> words) noexcept {
  std::uint64_t hash = 0;
  for (const std::uintptr_t word : words.first(std::min(words.size(), most_argument_words))) {
    if (area_of(word) != nullptr) hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
  }
  return static_cast<std::uint32_t>(hash >> 32U);
}

void SharedOut::forget_what_is_gone(std::span<const memory::LargeArea> areas) noexcept {
  for (Area& area : areas_) {
    const std::uint64_t known = area.extent.load(relaxed);
    const auto is_same = [known](const memory::LargeArea& each) { return packed(each) == known; };
    if (known == 0 || std::ranges::any_of(areas, is_same)) continue;
    area.is_shared_out.store(false, relaxed);
    area.is_counted.store(false, relaxed);
    area.extent.store(0, relaxed);
  }
}

void SharedOut::add(const memory::LargeArea& fresh) noexcept {
  Area* free = nullptr;
  for (Area& area : areas_) {
    const std::uint64_t known = area.extent.load(relaxed);
    if (known == packed(fresh)) {
      area.in_vain = 0;
      return area.is_counted.store(!area.is_wanted, relaxed);
    }
    if (known == 0 && free == nullptr) free = &area;
  }
  if (free == nullptr) return;
  for (std::atomic<std::uint32_t>& each : free->uses) each.store(0, relaxed);
  free->rounds = 0;
  free->in_vain = 0;
  free->is_wanted = false;
  free->extent.store(packed(fresh), relaxed);
  free->is_counted.store(true, relaxed);
}

void SharedOut::know(std::span<memory::LargeArea> areas) noexcept {
  const std::size_t count = std::min(areas.size(), most_areas);
  const auto is_larger = [](const memory::LargeArea& a, const memory::LargeArea& b) {
    return a.bytes() > b.bytes();
  };
  std::ranges::partial_sort(areas, areas.begin() + static_cast<std::ptrdiff_t>(count), is_larger);
  const std::span<const memory::LargeArea> largest = areas.first(count);
  forget_what_is_gone(largest);
  std::uintptr_t lowest = std::numeric_limits<std::uintptr_t>::max();
  std::uintptr_t highest = 0;
  for (const memory::LargeArea& each : largest) {
    const decide::Part whole = unpacked(packed(each));
    lowest = std::min(lowest, whole.begin);
    highest = std::max(highest, whole.end);
    add(each);
  }
  const auto is_free = [](const Area& area) { return area.extent.load(relaxed) == 0; };
  const auto last = std::find_if_not(areas_.rbegin(), areas_.rend(), is_free);
  used_.store(static_cast<std::size_t>(areas_.rend() - last), relaxed);
  lowest_.store(lowest, relaxed);
  highest_.store(highest, relaxed);
  if (count != 0) is_on_.store(true, relaxed);
}

/// True if its parts shall go to their domains.
bool SharedOut::end_round_of(Area& area, std::size_t parts, std::uint32_t wanted_after) noexcept {
  if (!area.is_counted.load(relaxed)) return false;
  std::array<std::uint32_t, decide::most_shares> uses{};
  bool is_used = false;
  for (std::size_t i = 0; i < parts; ++i) {
    uses[i] = area.uses[i].exchange(0, relaxed);
    is_used = is_used || uses[i] != 0;
  }
  const bool shared = is_used && decide::is_shared_out(std::span(uses).first(parts));
  if (!shared) {
    if (++area.in_vain == most_in_vain) area.is_counted.store(false, relaxed);
    return false;
  }
  if (++area.rounds < wanted_after) return false;
  area.is_counted.store(false, relaxed);
  area.is_wanted = true;
  area.is_shared_out.store(true, relaxed);
  return true;
}

void SharedOut::add_parts(const Area& area, std::size_t parts, decide::PartsByHome& to) const {
  const decide::Part whole = area.whole();
  for (std::size_t i = 0; i < parts; ++i) {
    const std::size_t domain = domains_[i].load(relaxed);
    if (domain >= to.size()) to.resize(domain + 1);
    to[domain].push_back(decide::nth_share(whole, i, parts));
  }
}

void SharedOut::give_up() noexcept {
  for (Area& area : areas_) {
    area.is_wanted = true;
    area.is_counted.store(false, relaxed);
    area.is_shared_out.store(false, relaxed);
  }
  gives_homes_.store(false, relaxed);
  is_on_.store(false, relaxed);
}

bool SharedOut::has(const memory::LargeArea& area) const noexcept {
  return std::ranges::any_of(areas_, [&area](const Area& each) {
    return each.extent.load(relaxed) == packed(area) && each.rounds != 0;
  });
}

}  // namespace lares::runtime
