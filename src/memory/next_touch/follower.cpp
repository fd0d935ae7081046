#include "memory/next_touch/follower.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "memory/pointer.hpp"

namespace lares::memory {

/// A marker that moves all at once cannot be followed halfway: its own message is among those that
/// are to be read.
bool Follower::has_to_wait(Way way, std::uintptr_t begin, std::uintptr_t end) noexcept {
  bool waits = false;
  shared_.regions.for_each([&](const Region& region) {
    if (region.way != way || !region.overlaps(begin, end)) return;
    // acquire: the alias is known then.
    const bool marking = region.state.load(std::memory_order_acquire) == Region::marking;
    if (marking && region.putting == Region::Putting::by_remap) waits = true;
  });
  return waits;
}

int Follower::emptied(Way way, std::uintptr_t begin, std::uintptr_t end) noexcept {
  const Regions::Hold hold(shared_.regions);
  if (has_to_wait(way, begin, end)) return EAGAIN;
  shared_.watch_of(way).emptying.note(begin, end);
  shared_.regions.for_each([&](Region& region) {
    if (region.way != way || !region.overlaps(begin, end)) return;
    // acquire: a finished area has no alias any more.
    const std::uint32_t state = region.state.load(std::memory_order_acquire);
    if (state == Region::finished) return;
    // The pages that are not aside yet will be emptied where they are: there they must stay.
    if (state == Region::marking) region.disturbed.store(true, std::memory_order_relaxed);
    empty_alias(region, std::max(begin, region.begin), std::min(end, region.end));
  });
  return 0;
}

void Follower::empty_alias(Region& region, std::uintptr_t from, std::uintptr_t until) noexcept {
  if (!carrier_.let_go_of_alias(region)) return;
  shared_.calls.advise(pointer(region.aside(from)), until - from, MADV_DONTNEED);
}

int Follower::unmapped(Way way, std::uintptr_t begin, std::uintptr_t end) noexcept {
  return follow(way, begin, end, nullptr);
}

int Follower::moved(Way way, std::uintptr_t begin, std::uintptr_t end, std::uintptr_t to) noexcept {
  return follow(way, begin, end, &to);
}

int Follower::follow(Way way, std::uintptr_t begin, std::uintptr_t end,
                     const std::uintptr_t* to) noexcept {
  const Regions::Hold hold(shared_.regions);
  if (has_to_wait(way, begin, end)) return EAGAIN;
  if (to != nullptr && is_own(begin, *to)) return 0;
  int error = 0;
  shared_.regions.for_each([&](Region& region) {
    if (region.way != way || !region.overlaps(begin, end) || error != 0) return;
    if (region.state.load(std::memory_order_acquire) == Region::finished) {
      shared_.regions.retire(region);  // its pages have gone
    } else {
      error = cut(region, begin, end, to);
    }
  });
  // What was not marked went with it, and what it has grown by is there, too: whoever moved it may
  // let a system call use that at once. What others have moved lies in mappings of its own.
  if (error == 0 && to != nullptr) unwatch_strays(way, *to, *to + (end - begin));
  return error;
}

/// A marker's own mremap: whoever moved the same area to the same place before it, had to move it
/// away again, and that was told earlier.
bool Follower::is_own(std::uintptr_t from, std::uintptr_t to) noexcept {
  // relaxed, all: a marker that is at work is waited for, by its region's state.
  if (shared_.own_remap_from.load(std::memory_order_relaxed) != from ||
      shared_.own_remap_to.load(std::memory_order_relaxed) != to) {
    return false;
  }
  shared_.own_remap_from.store(0, std::memory_order_relaxed);
  shared_.own_remap_to.store(0, std::memory_order_relaxed);
  return true;
}

/// The parts before and behind stay, what was moved is where it is now, what was unmapped is gone.
int Follower::cut(Region& region, std::uintptr_t begin, std::uintptr_t end,
                  const std::uintptr_t* to) noexcept {
  const std::uintptr_t from = std::max(begin, region.begin);
  const std::uintptr_t until = std::min(end, region.end);
  struct Part {
    std::uintptr_t from, until, now_at;
    Region* region;
  };
  std::array<Part, 3> parts{{{region.begin, from, region.begin, nullptr},
                             {until, region.end, until, nullptr},
                             {from, until, to == nullptr ? 0 : *to + (from - begin), nullptr}}};
  bool room = true;
  for (Part& part : parts) {
    if (part.from >= part.until || (part.now_at == 0)) continue;
    part.region = shared_.regions.part_of(region, part.from, part.until, part.now_at);
    room = room && part.region != nullptr;
  }
  if (!room) {
    shared_.regions.for_each([&](Region& other) {
      if (other.state.load(std::memory_order_acquire) == Region::finished) {
        shared_.regions.retire(other);
      }
    });
    for (const Part& part : parts) {
      if (part.region != nullptr) shared_.regions.retire(*part.region);
    }
    shared_.regions.recycle();
    return EAGAIN;
  }
  region.disturbed.store(true, std::memory_order_relaxed);  // relaxed: the gate's
  shared_.regions.retire(region);
  // A marker that was halfway leaves that to the parts' maker.
  if (carrier_.let_go_of_alias(region) && to == nullptr) {
    shared_.calls.unmap(pointer(region.aside(from)), until - from);
  }
  for (const Part& part : parts) {
    if (part.region == nullptr) continue;
    // The whole alias was let go of, or nothing of it.
    part.region->alias_watched.store(region.alias_watched.load(std::memory_order_relaxed),
                                     std::memory_order_relaxed);
    if (part.region->waiting.load(std::memory_order_relaxed) == 0) carrier_.finish(*part.region);
  }
  return 0;
}

void Follower::unwatch_strays(Way way, std::uintptr_t begin, std::uintptr_t end) noexcept {
  const Userfault& userfault = shared_.watch_of(way).userfault;
  for_each_mapping_in(shared_.maps, begin, end, [&](const Mapping& mapping) {
    for (std::uintptr_t at = mapping.begin; at < mapping.end;) {
      const Regions::Found region = shared_.regions.next(at);
      const std::uintptr_t stop =
          region ? std::min<std::uintptr_t>(mapping.end, region->begin) : mapping.end;
      if (at < stop) userfault.unwatch(at, stop - at);
      at = region ? std::max(at, region->end) : mapping.end;
    }
  });
}

}  // namespace lares::memory
