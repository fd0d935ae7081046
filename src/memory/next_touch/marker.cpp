#include "memory/next_touch/marker.hpp"

#include <linux/mempolicy.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>

#include "base/disorder.hpp"
#include "memory/far.hpp"
#include "memory/pointer.hpp"

namespace lares::memory {
namespace {

/// Memory of hugetlbfs is always a file's, and cannot be split within a page of it; an advice for
/// one small page tells, and is taken back.
bool has_large_pages(const SystemCalls& calls, std::uintptr_t begin) noexcept {
  const auto page = static_cast<std::size_t>(4096);
  const bool refused = calls.advise(pointer(begin), page, MADV_RANDOM) == -EINVAL;
  calls.advise(pointer(begin), page, MADV_NORMAL);
  return refused;
}

/// The kernel ages no page of a locked mapping, and says so: the list of mappings does not tell.
bool is_locked(const Shared& shared, std::uintptr_t begin, std::uintptr_t end) noexcept {
  bool locked = false;
  for_each_mapping_in(shared.maps, begin, end, [&](const Mapping& mapping) {
    const std::uintptr_t first = std::max<std::uintptr_t>(begin, mapping.begin);
    locked |= shared.calls.advise(pointer(first), shared.page, MADV_COLD) == -EINVAL;
  });
  return locked;
}

/// Moves the pages, not the mapping, to a place of ours: or to one of the kernel's choice where it
/// has something else there.
long remap_far(const SystemCalls& calls, std::uintptr_t begin, std::uint64_t bytes) noexcept {
  constexpr int flags = MREMAP_MAYMOVE | MREMAP_DONTUNMAP;
  const std::uintptr_t wish = far_place(bytes, begin);
  const long place = calls.map_at(wish, bytes);
  const bool mapped = place > 0 || place < -4096;
  if (mapped && static_cast<std::uintptr_t>(place) == wish) {
    const long moved =
        calls.remap(pointer(begin), bytes, bytes, flags | MREMAP_FIXED, pointer(wish));
    // The kernel has emptied the place perhaps; nobody else is given it meanwhile.
    if (moved < 0 && moved > -4096) calls.unmap(pointer(wish), bytes);
    return moved;
  }
  if (mapped) calls.unmap(pointer(static_cast<std::uintptr_t>(place)), bytes);
  return calls.remap(pointer(begin), bytes, bytes, flags, nullptr);
}

}  // namespace

int refusal_of(const Shared& shared, std::uintptr_t begin, std::uintptr_t end) noexcept {
  std::uintptr_t covered = begin;
  int error = 0;
  for_each_mapping_in(shared.maps, begin, end, [&](const Mapping& mapping) {
    if (error != 0) return;
    const bool data = mapping.data && !mapping.executable && !mapping.shared;
    if (!data || mapping.begin > covered) error = EFAULT;
    covered = mapping.end;
    const std::uintptr_t first = std::max<std::uintptr_t>(begin, mapping.begin);
    if (error == 0 && !mapping.anonymous && has_large_pages(shared.calls, first)) error = ENXIO;
  });
  return error == 0 && covered < end ? EFAULT : error;
}

int Marker::mark(const Area& area, Way way, std::uint64_t& left) noexcept {
  PageSpan stays;
  const int error = mark_once(area, way, left, stays);
  if (error == EINPROGRESS) return mark_around(area, stays, way, left);
  // The kernel moves one mapping at a time; an area may consist of several.
  const std::uint64_t pages = (area.end - area.begin) / shared_.page;
  if (error != EFAULT || pages < 2 || way == Way::protect) return error;
  const std::uintptr_t middle = area.begin + pages / 2 * shared_.page;
  return mark_around(area, {middle, middle}, way, left);
}

/// What is before and behind `gap`, and both or neither.
int Marker::mark_around(const Area& area, PageSpan gap, Way way, std::uint64_t& left) noexcept {
  const auto mark_part = [&](std::uintptr_t from, std::uintptr_t until) noexcept {
    if (from == until) return 0;
    return mark({from, until, std::min(area.chunk, until - from), area.purpose}, way, left);
  };
  if (const int error = mark_part(area.begin, gap.begin); error != 0) return error;
  left += gap.end - gap.begin;
  const int error = mark_part(gap.end, area.end);
  if (error != 0) carrier_.settle(area.begin, gap.begin, true);
  return error;
}

int Marker::mark_once(const Area& area, Way way, std::uint64_t& left, PageSpan& stays) noexcept {
  if (way == Way::protect) return close(area);
  const Watch& watch = shared_.watch_of(way);
  const bool moves = watch.userfault.can_move();
  // As UFFDIO_MOVE does. An mremap would take the lock away from the program's memory, and what is
  // locked cannot be emptied.
  if (!moves && is_locked(shared_, area.begin, area.end)) return EINVAL;
  Regions::Wanted wanted{area.begin, area.end, area.chunk, way, area.purpose};
  wanted.putting = moves ? Region::Putting::by_move : Region::Putting::by_remap;
  if (moves) {
    if (const int error = map_alias(wanted); error != 0) return error;
  }
  int error = 0;
  const Regions::Found region = add_inside(wanted, error, stays);
  if (!region) {
    if (moves) shared_.calls.unmap(pointer(wanted.alias), area.end - area.begin);
    return error;
  }
  bool aside = false;
  error = moves ? put_aside_by_move(*region, aside, left) : put_aside_by_remap(*region, aside);
  if (!aside) {
    forget(*region);
    return error;
  }
  // Nothing of the alias may be told from now on, refused or not: see let_go_of_alias().
  if (!let_go_of_alias(*region) && error == 0) error = ENOMEM;
  disorder::late(disorder::Point::area_aside);
  go_live(*region);
  // What is aside comes back; what does not stays aside until it is touched.
  if (error != 0) carrier_.settle(area.begin, area.end, true);
  return error;
}

int Marker::close(const Area& area) noexcept {
  int error = 0;
  const Regions::Found region =
      add({area.begin, area.end, area.chunk, Way::protect, area.purpose}, error, nullptr);
  if (!region) return error;
  error = opener_.close(*region);
  go_live(*region);
  if (error != 0) carrier_.settle(area.begin, area.end, true);
  return error;
}

/// Watched as long as pages come to it.
int Marker::map_alias(Regions::Wanted& wanted) noexcept {
  const std::uint64_t bytes = wanted.end - wanted.begin;
  const long alias = shared_.calls.map_at(far_place(bytes, wanted.begin), bytes);
  if (alias < 0 && alias > -4096) return static_cast<int>(-alias);
  wanted.alias = static_cast<std::uintptr_t>(alias);
  const int error = shared_.watch_of(wanted.way).userfault.watch(wanted.alias, bytes);
  if (error != 0) shared_.calls.unmap(pointer(wanted.alias), bytes);
  return error;
}

/// Into the gates of both ways, when nothing that the program did is left to follow.
void Marker::enter_gates() noexcept {
  for (Patience patience;; patience.wait()) {
    if (!shared_.by_thread.gate.enter()) continue;
    if (shared_.by_signal.gate.enter()) {
      if (!shared_.has_unread_change()) return;
      shared_.by_signal.gate.leave();
    }
    shared_.by_thread.gate.leave();
  }
}

/// What the program did before the mark is followed before the region is in the table: inside the
/// gate no change is read that is not followed. Else the end of an old mapping would be taken for
/// that of the new one in its place, and an old emptying would empty what was written since.
/// EINPROGRESS: the pages `stays` may still be emptied by somebody.
Regions::Found Marker::add_inside(const Regions::Wanted& wanted, int& error,
                                  PageSpan& stays) noexcept {
  enter_gates();
  finish_settled();
  Regions::Found added = add(wanted, error, &stays);
  shared_.by_signal.gate.leave();
  shared_.by_thread.gate.leave();
  if (!added) return added;
  // Whoever was inside may have looked at the table before, to give zeros for a page of this area,
  // or to end the watch of pages that are nobody's.
  for (Gate* gate : {&shared_.by_thread.gate, &shared_.by_signal.gate}) {
    gate->close();
    gate->open();
  }
  disorder::pause(disorder::Point::area_added);
  return added;
}

/// Those for which a change was in the way when their last chunk was settled.
void Marker::finish_settled() noexcept {
  const Regions::Hold hold(shared_.regions);
  shared_.regions.for_each([&](Region& region) {
    if (region.way == Way::protect) return;
    // acquire: its parts are known then.
    if (region.state.load(std::memory_order_acquire) == Region::live) carrier_.finish(region);
  });
}

PageSpan Marker::still_emptied(std::uintptr_t begin, std::uintptr_t end) noexcept {
  const PageSpan one = shared_.by_thread.emptying.first_in(begin, end);
  const PageSpan other = shared_.by_signal.emptying.first_in(begin, end);
  return other.empty() || (!one.empty() && one.begin <= other.begin) ? one : other;
}

bool Marker::is_free(std::uintptr_t begin, std::uintptr_t end) noexcept {
  const Regions::Hold hold(shared_.regions);
  bool free = true;
  shared_.regions.for_each([&](const Region& region) {
    // acquire: as in add().
    const std::uint32_t state = region.state.load(std::memory_order_acquire);
    if (region.overlaps(begin, end) && state != Region::finished) free = false;
  });
  return free;
}

/// With `stays`: EINPROGRESS as above.
Regions::Found Marker::add(const Regions::Wanted& wanted, int& error, PageSpan* stays) noexcept {
  const Regions::Hold hold(shared_.regions);
  bool in_the_way = false;
  shared_.regions.for_each([&](Region& region) {
    if (!region.overlaps(wanted.begin, wanted.end)) return;
    // acquire: the last settler has let go of the area.
    if (region.state.load(std::memory_order_acquire) == Region::finished) {
      shared_.regions.retire(region);
    } else {
      in_the_way = true;
    }
  });
  shared_.regions.recycle();
  error = EALREADY;
  if (in_the_way) return {};
  if (stays != nullptr) *stays = still_emptied(wanted.begin, wanted.end);
  error = EINPROGRESS;
  if (stays != nullptr && !stays->empty()) return {};
  error = ENOMEM;
  return shared_.regions.add(wanted);
}

/// By move: in the gate, where no follower makes parts of it. By remap followers wait for the
/// region to be live, and its own message keeps the gate closed until then.
bool Marker::let_go_of_alias(Region& region) noexcept {
  if (region.putting == Region::Putting::by_remap) return carrier_.let_go_of_alias(region);
  Gate& gate = shared_.watch_of(region.way).gate;
  for (Patience patience; !gate.enter();) patience.wait();
  // acquire: the parts of a retired one have been let go of by the follower, or will be.
  const bool retired = region.state.load(std::memory_order_acquire) == Region::retired;
  const bool let_go = retired || carrier_.let_go_of_alias(region);
  gate.leave();
  return let_go;
}

/// From now on touchers fetch, unless a follower has put others in the place of the region.
void Marker::go_live(Region& region) noexcept {
  std::uint32_t expected = Region::marking;
  // release: touchers that waited see the alias.
  region.state.compare_exchange_strong(expected, Region::live, std::memory_order_release,
                                       std::memory_order_relaxed);
}

/// Nothing of it is aside, and nobody has seen it live.
void Marker::forget(Region& region) noexcept {
  const Way way = region.way;
  const PageSpan area{region.begin, region.end};
  // By remap followers wait for it to be gone, with the gate closed.
  const bool gated = region.putting == Region::Putting::by_move;
  Gate& gate = shared_.watch_of(way).gate;
  for (Patience patience; gated && !gate.enter();) patience.wait();
  {
    const Regions::Hold hold(shared_.regions);
    // acquire: a follower has put others in its place, and they have its alias.
    if (region.state.load(std::memory_order_acquire) != Region::retired) {
      carrier_.give_up(region);
      shared_.regions.retire(region);
    }
  }
  if (gated) gate.leave();
  end_watch(way, area);
}

/// Of an area that is in no region, if nothing is under way that may have brought others there.
/// Else it stays watched, and who touches an absent page of it is given zeros.
void Marker::end_watch(Way way, PageSpan area) noexcept {
  Watch& watch = shared_.watch_of(way);
  for (Patience patience; !watch.gate.enter();) patience.wait();
  {
    const Regions::Found region = shared_.regions.next(area.begin);
    const bool free = !region || region->begin >= area.end;
    if (free && !shared_.has_unread_change()) {
      watch.userfault.unwatch(area.begin, area.end - area.begin);
    }
  }
  watch.gate.leave();
}

int Marker::put_aside_by_move(Region& region, bool& aside, std::uint64_t& left) noexcept {
  const std::uint64_t bytes = region.end - region.begin;
  const Userfault& userfault = shared_.watch_of(region.way).userfault;
  if (const int error = userfault.watch(region.begin, bytes); error != 0) return error;
  disorder::pause(disorder::Point::area_watched);
  aside = true;
  std::uint64_t stays = 0;
  const int error = move_all(region, stays);
  if (error == 0) left += stays;
  return error;
}

int Marker::move_all(Region& region, std::uint64_t& stays) noexcept {
  Watch& watch = shared_.watch_of(region.way);
  const std::uint64_t page = shared_.page;
  std::uint64_t most = largest_request;
  Patience patience;
  for (std::uintptr_t at = region.begin; at < region.end;) {
    const std::uint64_t bytes = std::min({region.end - at, most, request_from(at)});
    while (!watch.gate.enter()) patience.wait();
    // relaxed: written by a follower, with the gate closed.
    const bool goes_on = !region.disturbed.load(std::memory_order_relaxed);
    const Userfault::Done done =
        goes_on ? watch.userfault.move(region.aside(at), at, bytes) : Userfault::Done{};
    watch.gate.leave();
    if (!goes_on) {
      stays += region.end - at;
      return 0;
    }
    at += done.bytes;
    if (done.bytes > 0) {
      most = std::min(2 * most, largest_request);
    } else if (done.error == EAGAIN) {
      patience.wait();  // until the message has been read
    } else if (bytes > page) {
      // Several mappings, perhaps, or one page of many that cannot go.
      const bool first_page = done.error == EBUSY || done.error == EEXIST;
      most = first_page ? page : std::max(page, bytes / 2 & ~(page - 1));
    } else if (done.error == EEXIST) {
      at += page;  // It has gone: nobody else puts pages into the alias.
    } else if (done.error == EBUSY || done.error == ENOENT) {
      // Pinned, for a device or for direct input and output: it stays in use where it is.
      stays += page;
      at += page;
    } else {
      return done.error;
    }
  }
  return 0;
}

/// The pages go elsewhere in one step, while the kernel already watches the place where they were.
int Marker::put_aside_by_remap(Region& region, bool& aside) noexcept {
  const Userfault& userfault = shared_.watch_of(region.way).userfault;
  const std::uint64_t bytes = region.end - region.begin;
  if (const int error = userfault.watch(region.begin, bytes); error != 0) return error;
  disorder::pause(disorder::Point::area_watched);
  if (shared_.nodes.several()) {
    // Whoever fetches a page allocates it, on its own node, or on the one that it sets for itself.
    const int policy = region.way == Way::userfault_signal ? MPOL_LOCAL : MPOL_DEFAULT;
    shared_.calls.bind(pointer(region.begin), bytes, policy, nullptr);
  }
  const long alias = remap_far(shared_.calls, region.begin, bytes);
  if (alias < 0 && alias > -4096) return static_cast<int>(-alias);
  aside = true;
  region.alias = static_cast<std::uintptr_t>(alias);
  shared_.calls.unlock(pointer(region.alias), bytes);  // if it was locked a moment ago
  // relaxed, both: published with the state.
  shared_.own_remap_from.store(region.begin, std::memory_order_relaxed);
  shared_.own_remap_to.store(region.alias, std::memory_order_relaxed);
  // relaxed: published with the state.
  region.alias_watched.store(true, std::memory_order_relaxed);
  return 0;
}

}  // namespace lares::memory
