#include "memory/next_touch/carrier.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <optional>

#include "base/clock.hpp"
#include "base/disorder.hpp"
#include "memory/migrate/migrate.hpp"
#include "memory/moves/move_log.hpp"
#include "memory/pointer.hpp"

namespace lares::memory {
namespace {

/// Where some pages lie, for their copies to go there as well: the kernel makes these near to
/// whoever asks for them.
class LyingPages {
 public:
  /// Arrays of so many have room on the small stack of a signal handler.
  static constexpr std::size_t most = 64;

  LyingPages(const SystemCalls& calls, std::uintptr_t first, std::size_t count,
             std::uint64_t page) noexcept
      : calls_(calls), page_(page), count_(std::min(count, most)) {
    fill(first);
    nodes_.fill(-1);
    std::array<int, most> status;
    status.fill(-1);
    if (calls.move(count_, pages_.data(), nullptr, status.data()) >= 0) nodes_ = status;
  }

  /// Copies of the first `count` of them are at `first`.
  void bring_copies(std::uintptr_t first, std::size_t count) noexcept {
    fill(first);
    std::size_t known = 0;
    for (std::size_t i = 0; i < std::min(count, count_); ++i) {
      if (nodes_[i] < 0) continue;
      pages_[known] = pages_[i];
      nodes_[known++] = nodes_[i];
    }
    std::array<int, most> status;
    if (known != 0) calls_.move(known, pages_.data(), nodes_.data(), status.data());
  }

 private:
  void fill(std::uintptr_t first) noexcept {
    for (std::size_t i = 0; i < count_; ++i) pages_[i] = pointer(first + i * page_);
  }

  const SystemCalls& calls_;
  std::uint64_t page_;
  std::size_t count_;
  std::array<void*, most> pages_;
  std::array<int, most> nodes_;  ///< below 0: not known
};

/// A page that was shared by a fork becomes this process' own when it is written.
void make_own(std::uintptr_t page) noexcept {
  auto* const byte = static_cast<std::uint8_t*>(pointer(page));
  // relaxed: nobody else looks at the alias; atomic, so that the compiler leaves it there.
  std::atomic_ref(*byte).fetch_or(0, std::memory_order_relaxed);
}

}  // namespace

int Carrier::bring(Region& region, std::uint32_t index, const Toucher& toucher) noexcept {
  std::atomic<std::uint32_t>& chunk = region.chunks[index];
  for (Patience patience;;) {
    // acquire: what is in its place is found then.
    if (region.state.load(std::memory_order_acquire) == Region::retired) return ESTALE;
    std::uint32_t seen = chunk.load(std::memory_order_acquire);  // acquire: the pages are usable
    if (Chunk::state(seen) == Chunk::settled) return 0;
    if (Chunk::state(seen) == Chunk::busy) {
      if (!toucher.waits) return EAGAIN;
      patience.wait();
      continue;
    }
    // acquire: the last one who was busy with it left a part done, perhaps.
    if (!chunk.compare_exchange_strong(seen, Chunk::busy, std::memory_order_acquire)) continue;
    const Nanoseconds start = now();
    int error = region.way == Way::protect
                    ? opener_.open(region, region.chunk_begin(index), region.chunk_end(index))
                    : carry(region, index, toucher);
    disorder::pause(disorder::Point::chunk_carried);
    if (error == 0) {
      const Bytes arrived = to_node_of(toucher, region, index);
      error = give_back(region, index, toucher, {start, arrived});
    }
    // release: what is done already.
    if (error != 0) chunk.store(Chunk::aside, std::memory_order_release);
    return error;
  }
}

/// The chunk is settled; the last one cleans up. Nobody follows a change meanwhile.
int Carrier::give_back(Region& region, std::uint32_t index, const Toucher& toucher,
                       const Carried& carried) noexcept {
  const bool gated = region.way != Way::protect;
  Patience patience;
  if (gated) {
    if (const int error = enter(region, toucher, patience); error != 0) return error;
  }
  if (toucher.fetches) {
    count(region, index, toucher, carried);
  } else {
    shared_.settled.fetch_add(1, std::memory_order_relaxed);
  }
  const DomainId domain = toucher.fetches ? toucher.domain : DomainId{};
  // release: whoever sees it settled can use the pages.
  region.chunks[index].store(Chunk::settled_by(domain, toucher.cpu), std::memory_order_release);
  // acq_rel: the last one comes after all others.
  if (region.waiting.fetch_sub(1, std::memory_order_acq_rel) == 1) finish(region);
  if (gated) shared_.watch_of(region.way).gate.leave();
  return 0;
}

/// The end of the watch is by address, and nobody is told of it. So it must not be while a change
/// is under way: that has brought other marked pages to this address, perhaps, and their region is
/// not here yet. If one has begun meanwhile, the watch is renewed before anybody can follow it.
bool Carrier::end_watch(const Region& region) noexcept {
  const Userfault& userfault = shared_.watch_of(region.way).userfault;
  if (shared_.has_unread_change()) return false;
  const std::uint64_t bytes = region.end - region.begin;
  if (userfault.unwatch(region.begin, bytes) != 0) {
    // Something else was mapped into it meanwhile.
    for (std::uint32_t i = 0; i < region.count; ++i) {
      userfault.unwatch(region.chunk_begin(i), region.chunk_end(i) - region.chunk_begin(i));
    }
  }
  disorder::pause(disorder::Point::area_unwatched);
  if (!shared_.has_unread_change()) return true;
  if (userfault.watch(region.begin, bytes) != 0) {
    for (std::uint32_t i = 0; i < region.count; ++i) {
      userfault.watch(region.chunk_begin(i), region.chunk_end(i) - region.chunk_begin(i));
    }
  }
  return false;
}

bool Carrier::finish(Region& region) noexcept {
  std::uint32_t none = 0;
  // acquire: comes after all who settled a chunk. Whoever gets it is alone.
  if (!region.waiting.compare_exchange_strong(none, Region::finishing, std::memory_order_acquire)) {
    return false;
  }
  if (region.way != Way::protect && !end_watch(region)) {
    region.waiting.store(0, std::memory_order_release);  // release: the next one goes on from here
    return false;
  }
  give_up(region);
  return true;
}

void Carrier::give_up(Region& region) noexcept {
  if (region.way != Way::protect) {
    // relaxed: settled chunks come with what their carriers wrote before.
    const bool keeps = region.alias == 0 || region.keeps_alias.load(std::memory_order_relaxed);
    if (!keeps && let_go_of_alias(region)) {
      shared_.calls.unmap(pointer(region.alias), region.end - region.begin);
    }
  }
  region.state.store(Region::finished, std::memory_order_release);  // release: all of the above
}

/// A region of which every chunk is settled, and which could not be finished then.
int Carrier::finish_late(Region& region) noexcept {
  Patience patience;
  // acquire, both: as in bring() and finish().
  while (region.state.load(std::memory_order_acquire) == Region::live) {
    const std::uint32_t waiting = region.waiting.load(std::memory_order_acquire);
    if (waiting != 0 && waiting != Region::finishing) return 0;
    if (region.way == Way::protect) {
      finish(region);
    } else if (enter(region, {}, patience) == 0) {
      finish(region);
      shared_.watch_of(region.way).gate.leave();
    }
    patience.wait();
  }
  return region.state.load(std::memory_order_acquire) == Region::retired ? ESTALE : 0;
}

bool Carrier::let_go_of_alias(Region& region) noexcept {
  // relaxed: one carrier is the last, and followers have the gate closed.
  if (!region.alias_watched.load(std::memory_order_relaxed)) return true;
  const Userfault& userfault = shared_.watch_of(region.way).userfault;
  if (userfault.unwatch(region.alias, region.end - region.begin) != 0) return false;
  region.alias_watched.store(false, std::memory_order_relaxed);
  return true;
}

/// Into the gate of a region that is live.
int Carrier::enter(Region& region, const Toucher& toucher, Patience& patience) noexcept {
  Gate& gate = shared_.watch_of(region.way).gate;
  while (!gate.enter()) {
    if (!toucher.waits) return EAGAIN;
    patience.wait();
  }
  // acquire: with its parts. Followers retire it with the gate closed, so it stays live inside.
  if (region.state.load(std::memory_order_acquire) == Region::live) return 0;
  gate.leave();
  return ESTALE;
}

int Carrier::carry(Region& region, std::uint32_t index, const Toucher& toucher) noexcept {
  const std::uintptr_t end = region.chunk_end(index);
  const std::uint64_t page = shared_.page;
  int refused = 0;
  std::uint64_t most = largest_request;
  Patience patience;
  for (std::uintptr_t at = region.chunk_begin(index); at < end;) {
    const std::uint64_t bytes = std::min({end - at, most, request_from(at)});
    if (const int error = enter(region, toucher, patience); error != 0) return error;
    const Userfault::Done done = bytes > page ? request(region, at, bytes, toucher.fetches)
                                              : request_page(region, at, toucher.fetches);
    shared_.watch_of(region.way).gate.leave();
    at += done.bytes;
    if (done.bytes > 0) {
      most = std::min(2 * most, largest_request);
    } else if (done.error == EAGAIN) {
      if (!toucher.waits) return EAGAIN;
      patience.wait();  // until the message has been read
    } else if (bytes > page) {
      // Several mappings, perhaps, or one page of many that cannot go.
      const bool first_page = done.error == EBUSY || done.error == EEXIST;
      most = first_page ? page : std::max(page, bytes / 2 & ~(page - 1));
    } else {
      refused = done.error;  // and the others can go all the same
      at += page;
    }
  }
  return refused;
}

/// Of one page everything is tried, and the error is a refusal.
Userfault::Done Carrier::request_page(Region& region, std::uintptr_t at, bool fetches) noexcept {
  const std::uint64_t page = shared_.page;
  Userfault::Done done = request(region, at, page, fetches);
  if (done.error == EEXIST) return {page, 0};
  if (done.error == EBUSY) {
    if (const int error = make_readable(region, at); error != 0) return {0, error};
    make_own(region.aside(at));
    done = request(region, at, page, fetches);
  }
  // Another protection, say: such mappings exchange no pages.
  if (done.error == EINVAL) done = copy(region, at, page, fetches);
  if (done.error == EEXIST) return {page, 0};  // it never went aside
  if (done.error != ENOENT) return done;
  // The place is nobody's to watch. A change that has not been read would be told by EAGAIN first.
  done = copy(region, at, page, fetches);
  if (done.error != ENOENT) return done.error == EEXIST ? Userfault::Done{page, 0} : done;
  region.keeps_alias.store(true, std::memory_order_relaxed);  // relaxed: read by the last one
  return {page, 0};
}

Userfault::Done Carrier::request(Region& region, std::uintptr_t at, std::uint64_t bytes,
                                 bool fetches) noexcept {
  Watch& watch = shared_.watch_of(region.way);
  if (!watch.userfault.can_move()) return copy(region, at, bytes, fetches);
  const Userfault::Done done = watch.userfault.move(at, region.aside(at), bytes);
  watch.emptying.filled(at, at + done.bytes);  // a page is moved only to where there is none
  return done;
}

/// Whoever reads a page of the alias inside the gate must not have to ask the monitor for it, who
/// waits for the gate. So an absent one becomes zeros if it is still watched.
int Carrier::make_readable(Region& region, std::uintptr_t at) noexcept {
  if (let_go_of_alias(region)) return 0;
  const int error = shared_.watch_of(region.way).userfault.zero(region.aside(at), shared_.page);
  // ENOENT: of this page the kernel did let go.
  return error == EEXIST || error == ENOENT ? 0 : error;
}

Userfault::Done Carrier::copy(Region& region, std::uintptr_t at, std::uint64_t bytes,
                              bool fetches) noexcept {
  if (const int error = make_readable(region, at); error != 0) return {0, error};
  Watch& watch = shared_.watch_of(region.way);
  const std::uint64_t page = shared_.page;
  // What is fetched is copied by whoever allocates where it shall be, if the keeper does not.
  const bool stays =
      !fetches || (region.purpose != Purpose::migrate && watch.userfault.copied_by_keeper());
  std::optional<LyingPages> lying;
  if (stays && shared_.nodes.several()) {
    bytes = std::min(bytes, LyingPages::most * page);
    lying.emplace(shared_.calls, region.aside(at), bytes / page, page);
  }
  // relaxed: as in let_go_of_alias().
  if (region.alias_watched.load(std::memory_order_relaxed)) bytes = page;
  const Userfault::Done done = watch.userfault.copy(at, region.aside(at), bytes);
  watch.emptying.filled(at, at + done.bytes);
  if (lying && done.bytes > 0) lying->bring_copies(at, done.bytes / page);
  disorder::pause(disorder::Point::page_copied);
  // At one place again, before anybody follows a change.
  if (done.bytes > 0 && let_go_of_alias(region)) {
    shared_.calls.advise(pointer(region.aside(at)), done.bytes, MADV_DONTNEED);
  }
  return done;
}

Bytes Carrier::to_node_of(const Toucher& toucher, const Region& region,
                          std::uint32_t index) noexcept {
  const bool moves = toucher.fetches && region.purpose == Purpose::migrate;
  // What the toucher itself copied is there already.
  const Userfault& userfault = shared_.watch_of(region.way).userfault;
  const bool copied =
      region.way != Way::protect && !userfault.can_move() && !userfault.copied_by_keeper();
  const OsNode node = shared_.nodes.node_of(toucher.domain);
  if (!moves || !shared_.nodes.several() || !node.valid()) return {};
  const std::uintptr_t begin = region.chunk_begin(index);
  const Bytes bytes{region.chunk_end(index) - begin};
  if (copied) return bytes;
  MoveOptions options;
  options.page = {shared_.page};
  return {migrate_in_handler(shared_.calls, begin, bytes, node, options).moved * shared_.page};
}

void Carrier::count(const Region& region, std::uint32_t index, const Toucher& toucher,
                    const Carried& carried) noexcept {
  constexpr auto relaxed = std::memory_order_relaxed;
  const auto nanoseconds = static_cast<std::uint64_t>((now() - carried.start).count);
  const std::uint64_t bytes = region.chunk_end(index) - region.chunk_begin(index);
  shared_.chunks.fetch_add(1, relaxed);
  const bool is_sample = region.purpose == Purpose::sample;
  (is_sample ? shared_.sampled : shared_.pages).fetch_add(bytes / shared_.page, relaxed);
  shared_.nanoseconds.fetch_add(nanoseconds, relaxed);
  MoveEvent event;
  const bool is_away =
      toucher.lies.valid() && toucher.lies != shared_.nodes.node_of(toucher.domain);
  event.kind = is_sample ? MoveKind::sample : MoveKind::fetch;
  event.begin_ns = static_cast<std::uint64_t>(carried.start.count);
  event.took_ns = nanoseconds;
  event.address = region.chunk_begin(index);
  event.bytes = bytes;
  event.arrived = is_sample && is_away ? bytes : carried.arrived.count;
  event.thread = static_cast<std::uint32_t>(toucher.thread);
  if (toucher.domain.valid()) event.to = static_cast<std::uint32_t>(toucher.domain.index());
  note_move(event);
}

void Carrier::open_closed(std::uintptr_t begin, std::uintptr_t end) noexcept {
  for (std::uintptr_t at = begin; at < end;) {
    const Regions::Found region = shared_.regions.next(at);
    if (!region || region->begin >= end) break;
    if (region->way == Way::protect) {
      settle_region(*region, std::max(at, region->begin), std::min(end, region->end));
    }
    at = region->end;
  }
}

int Carrier::settle(std::uintptr_t begin, std::uintptr_t end, bool whole) noexcept {
  int refused = 0;
  for (std::uintptr_t at = begin; at < end;) {
    const Regions::Found region = shared_.regions.next(at);
    if (!region || region->begin >= end) break;
    const int error = settle_region(*region, whole ? region->begin : std::max(at, region->begin),
                                    whole ? region->end : std::min(end, region->end));
    if (error == ESTALE) continue;
    if (error != 0) refused = error;
    at = region->end;
  }
  return refused;
}

int Carrier::settle_region(Region& region, std::uintptr_t from, std::uintptr_t until) noexcept {
  int refused = 0;
  for (std::uint32_t i = region.index_of(from); i <= region.index_of(until - 1); ++i) {
    // Chunk by chunk, so that a signal is not held up for the whole area.
    const SignalsBlocked blocked;
    Patience patience;
    // acquire: the alias was written before.
    while (region.state.load(std::memory_order_acquire) == Region::marking) patience.wait();
    const int error = bring(region, i, {});
    if (error == ESTALE) return ESTALE;
    if (error != 0) refused = error;
  }
  const SignalsBlocked blocked;
  return finish_late(region) == ESTALE ? ESTALE : refused;
}

}  // namespace lares::memory
