// Marking, settling and forking; what a touch does is in touching.cpp.
#include "memory/next_touch/next_touch.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>

#include "base/clock.hpp"
#include "memory/moves/move_log.hpp"
#include "memory/pointer.hpp"
#include "memory/residency.hpp"

namespace lares::memory {
namespace {

std::span<const Way> ways_of(WantedWay wanted) noexcept {
  static constexpr std::array<Way, 3> ways{Way::userfault_thread, Way::userfault_signal,
                                           Way::protect};
  switch (wanted) {
    case WantedWay::userfault_thread:
      return std::span(ways).subspan(0, 1);
    case WantedWay::userfault_signal:
      return std::span(ways).subspan(1, 1);
    case WantedWay::protect:
      return std::span(ways).subspan(2, 1);
    default:
      return ways;
  }
}

void note_mark(const Area& area, const Marked& marked, Nanoseconds start) noexcept {
  if (marked.bytes.count == 0 || area.purpose == Purpose::sample) return;
  MoveEvent event;
  event.kind = MoveKind::mark;
  event.begin_ns = static_cast<std::uint64_t>(start.count);
  event.took_ns = static_cast<std::uint64_t>((now() - start).count);
  event.address = area.begin;
  event.bytes = marked.bytes.count;
  note_move(event);
}

}  // namespace

NextTouch::NextTouch(const SystemCalls& calls, const Nodes& nodes, Bytes page,
                     const MapsSource& maps) noexcept
    : shared_(calls, nodes, page, maps),
      carrier_(shared_),
      marker_(shared_, carrier_),
      follower_(shared_, carrier_),
      by_thread_monitor_(shared_.by_thread, Way::userfault_thread, *this, shared_.keeper),
      by_signal_monitor_(shared_.by_signal, Way::userfault_signal, *this, shared_.keeper) {}

NextTouch::~NextTouch() {
  carrier_.settle(0, UINTPTR_MAX, true);
  shared_.keeper.tell_end();
  by_thread_monitor_.stop();
  by_signal_monitor_.stop();
  forget_faults(this);
  shared_.by_thread.userfault.close();
  shared_.by_signal.userfault.close();
  shared_.keeper.stop();
  shared_.regions.clear();
}

int NextTouch::prepare(Way way) noexcept {
  if (way == Way::protect) return watch_faults(SIGSEGV, &on_fault, this);
  if (const int error = open(way); error != 0) return error;
  const bool signal = way == Way::userfault_signal;
  Monitor& monitor = signal ? by_signal_monitor_ : by_thread_monitor_;
  if (const int error = monitor.start(); error != 0) return error;
  return signal ? watch_faults(SIGBUS, &on_fault, this) : 0;
}

/// Both at once: what is opened after the keeper's start is not in its table.
int NextTouch::open(Way way) noexcept {
  Userfault& by_thread = shared_.by_thread.userfault;
  Userfault& by_signal = shared_.by_signal.userfault;
  if (!shared_.keeper.started()) {
    if (by_thread.descriptor() < 0) by_thread_refusal_ = by_thread.open(false);
    if (by_signal.descriptor() < 0) by_signal_refusal_ = by_signal.open(true);
  }
  const int refused = way == Way::userfault_signal ? by_signal_refusal_ : by_thread_refusal_;
  if (refused != 0) return refused;
  std::array<int, 2> files{by_thread.descriptor(), by_signal.descriptor()};
  std::sort(files.begin(), files.end());
  const std::size_t missing = files[0] < 0 ? 1 : 0;
  return shared_.keeper.start(std::span(files).subspan(missing));
}

Marked NextTouch::mark(std::uintptr_t address, Bytes length,
                       const NextTouchOptions& options) noexcept {
  Marked marked;
  const std::uint64_t mask = shared_.page - 1;
  Area area{(address + mask) & ~mask, (address + length.count) & ~mask, 0, options.purpose};
  if (address + length.count < address || area.begin < address) {
    marked.error = EINVAL;
    return marked;
  }
  if (area.begin >= area.end) return marked;
  const Nanoseconds start = now();
  const std::uint64_t whole = area.end - area.begin;
  const std::uint64_t wanted = options.chunk.count == 0 ? whole : options.chunk.count;
  area.chunk = wanted >= whole ? whole : (wanted + mask) & ~mask;
  for (;;) {
    // Without locks: whoever marks a part of it meanwhile is settled at the next try.
    marked.error = carrier_.settle(area.begin, area.end, true);
    if (marked.error != 0) return marked;
    // relaxed: a child that was forked by this thread, or told of to it.
    if (shared_.forked.load(std::memory_order_relaxed)) make_own(area.begin, area.end);
    const SignalsBlocked blocked;
    const std::lock_guard lock(marking_);
    marked = mark_pages(area, options.way);
    if (marked.error != EALREADY) break;
  }
  if (marked.error == 0) {
    shared_.areas.fetch_add(1, std::memory_order_relaxed);
    note_mark(area, marked, start);
  }
  return marked;
}

/// With the lock.
Marked NextTouch::mark_pages(const Area& area, WantedWay wanted) noexcept {
  Marked marked;
  marked.error =
      marker_.is_free(area.begin, area.end) ? refusal_of(shared_, area.begin, area.end) : EALREADY;
  if (marked.error != 0) return marked;
  for (const Way way : ways_of(wanted)) {
    std::uint64_t left = 0;
    marked.way = way;
    marked.error = prepare(way);
    // Attaching leaves the pages where they are, which userfaultfd can do only by moving them.
    const bool copies = way != Way::protect && !shared_.watch_of(way).userfault.can_move();
    if (marked.error == 0 && area.purpose == Purpose::attach && copies) marked.error = ENOTSUP;
    if (marked.error == 0) marked.error = marker_.mark(area, way, left);
    if (marked.error == EALREADY) return marked;
    if (marked.error == 0) {
      marked.left = {left};
      marked.bytes = {area.end - area.begin - left};
      return marked;
    }
  }
  return marked;
}

int NextTouch::settle(std::uintptr_t address, Bytes length) noexcept {
  return length.count == 0 ? 0 : carrier_.settle(address, address + length.count, false);
}

void NextTouch::before_unmap(std::uintptr_t address, Bytes length) noexcept {
  carrier_.open_closed(address, address + length.count);
}

std::size_t NextTouch::count_chunks(std::uintptr_t address, Bytes length,
                                    std::uint32_t state) noexcept {
  const Regions::Hold hold(shared_.regions);
  std::size_t count = 0;
  const std::uintptr_t end = address + length.count;
  shared_.regions.for_each([&](const Region& region) {
    const std::uintptr_t from = std::max(address, region.begin);
    const std::uintptr_t to = std::min(end, region.end);
    for (std::uintptr_t at = from; at < to; at = region.chunk_end(region.index_of(at))) {
      // acquire: who is told that a chunk is settled may look at it.
      const auto word = region.chunks[region.index_of(at)].load(std::memory_order_acquire);
      count += Chunk::state(word) == state ? 1 : 0;
    }
  });
  return count;
}

bool NextTouch::waits(std::uintptr_t address, Bytes length) noexcept {
  return count_chunks(address, length, Chunk::aside) > 0;
}

std::size_t NextTouch::busy_chunks(std::uintptr_t address, Bytes length) noexcept {
  return count_chunks(address, length, Chunk::busy);
}

void NextTouch::collect(Take take, void* argument, Same same) noexcept {
  const Regions::Hold hold(shared_.regions);
  shared_.regions.for_each([&](Region& region) {
    Touched joined{region.begin, region.begin, {}, {}};
    for (std::uint32_t i = 0; i <= region.count; ++i) {
      // acquire: whoever is told of a touch may look at what it did.
      const std::uint32_t word =
          i == region.count ? 0 : region.chunks[i].load(std::memory_order_acquire);
      const bool settled = Chunk::state(word) == Chunk::settled;
      const DomainId domain = settled ? Chunk::toucher(word) : DomainId{};
      const OsCpu cpu = settled ? Chunk::toucher_cpu(word) : OsCpu{};
      const bool goes_on = domain == joined.domain && (same == Same::domain || cpu == joined.cpu);
      if (goes_on && i < region.count) continue;
      joined.end = i == region.count ? region.end : region.chunk_begin(i);
      if (joined.domain.valid()) take(argument, joined);
      joined = {joined.end, joined.end, domain, cpu};
    }
    // acquire: the last settler has let go of the area.
    if (region.state.load(std::memory_order_acquire) == Region::finished) {
      shared_.regions.retire(region);
    }
  });
  shared_.regions.recycle();
}

NextTouchCounts NextTouch::counts() const noexcept {
  constexpr auto relaxed = std::memory_order_relaxed;
  return {shared_.areas.load(relaxed),   shared_.chunks.load(relaxed),
          shared_.pages.load(relaxed),   shared_.nanoseconds.load(relaxed),
          shared_.settled.load(relaxed), shared_.sampled.load(relaxed)};
}

/// The child has no watched memory: what is aside has to be back. What the kernel refuses to bring
/// stays aside in the parent, and the child takes it from its own alias.
void NextTouch::before_fork() noexcept {
  sigset_t all;
  sigfillset(&all);
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, &all, &before);
  marking_.lock();
  for (bool done = false; !done;) {
    const int refused = carrier_.settle(0, UINTPTR_MAX, true);
    // Nobody is halfway through a chunk while the child is made.
    shared_.by_thread.gate.close();
    shared_.by_signal.gate.close();
    shared_.regions.lock();
    done = true;
    shared_.regions.for_each([&](const Region& region) {
      // acquire: as in collect(). What the program has moved meanwhile is a new region.
      const bool finished = region.state.load(std::memory_order_acquire) == Region::finished;
      if (!finished && refused == 0) done = false;
    });
    if (!done) {
      shared_.regions.unlock();
      open_gates();
    }
  }
  shared_.forked.store(true, std::memory_order_relaxed);
  mask_before_fork_ = before;
}

void NextTouch::open_gates() noexcept {
  shared_.by_thread.gate.open();
  shared_.by_signal.gate.open();
}

void NextTouch::after_fork_in_parent() noexcept {
  const sigset_t before = mask_before_fork_;
  shared_.regions.unlock();
  open_gates();
  marking_.unlock();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void NextTouch::after_fork_in_child() noexcept {
  by_thread_monitor_.lose();
  by_signal_monitor_.lose();
  shared_.keeper.lose();
  shared_.by_thread.emptying.clear();
  shared_.by_signal.emptying.clear();
  shared_.by_thread.userfault.close();
  shared_.by_signal.userfault.close();
  give_child_its_pages();
  shared_.regions.clear();
  const sigset_t before = mask_before_fork_;
  shared_.regions.unlock();
  shared_.by_thread.gate.reset();
  shared_.by_signal.gate.reset();
  marking_.unlock();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

/// Nothing is watched here, and there is one thread.
void NextTouch::give_child_its_pages() noexcept {
  shared_.regions.for_each([&](const Region& region) {
    if (region.state.load(std::memory_order_relaxed) == Region::finished) return;
    if (region.way == Way::protect) {
      Opener(shared_).open(region, region.begin, region.end);
      return;
    }
    for (std::uintptr_t at = region.begin; at < region.end; at += shared_.page) {
      if (is_back(region, at)) continue;
      shared_.calls.remap(pointer(region.aside(at)), shared_.page, shared_.page,
                          MREMAP_MAYMOVE | MREMAP_FIXED, pointer(at));
    }
    shared_.calls.unmap(pointer(region.alias), region.end - region.begin);
  });
}

/// Both may be there where the kernel has filled holes of the alias, to make a huge page of it.
bool NextTouch::is_back(const Region& region, std::uintptr_t at) const noexcept {
  std::uint8_t place = 0;
  std::uint8_t aside = 0;
  if (shared_.calls.resident(pointer(at), shared_.page, &place) < 0) return false;
  if ((place & 1U) == 0 || (place & 2U) != 0) return (place & 1U) != 0;
  const bool known = shared_.calls.resident(pointer(region.aside(at)), shared_.page, &aside) >= 0;
  return known && (aside & 1U) == 0;
}

/// A page that was shared by a fork is this process' own once it is written; only such pages can
/// be moved. The kernel does as if they were written, unless the program has forbidden that
/// meanwhile. Absent pages stay absent.
void NextTouch::make_own(std::uintptr_t begin, std::uintptr_t end) noexcept {
  PageSpan run{begin, begin};
  const auto own = [&] {
    if (!run.empty()) shared_.calls.advise(pointer(run.begin), run.end - run.begin, populate_write);
  };
  for_each_page(shared_.calls, begin, end, shared_.page, [&](std::uintptr_t at, bool there) {
    if (there && run.end == at) {
      run.end = at + shared_.page;
      return;
    }
    own();
    run = there ? PageSpan{at, at + shared_.page} : PageSpan{at + shared_.page, at + shared_.page};
  });
  own();
}

}  // namespace lares::memory
