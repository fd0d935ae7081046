// Marking and forgetting; what a touch does is in touching.cpp.
#include "memory/next_touch/next_touch.hpp"

#include <linux/mempolicy.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "memory/next_touch/fault_signals.hpp"
#include "memory/next_touch/quiet.hpp"
#include "memory/pointer.hpp"

namespace lares::memory {
namespace {

/// True if mappings that can be read and written cover [begin, end) without a hole.
bool is_data(const MapsSource& maps, std::uintptr_t begin, std::uintptr_t end) noexcept {
  std::uintptr_t covered = begin;
  for_each_mapping(maps, [&](const Mapping& mapping) {
    if (mapping.data && mapping.begin <= covered && covered < mapping.end) covered = mapping.end;
  });
  return covered >= end;
}

std::array<Way, 3> ways_of(WantedWay wanted, std::size_t& count) noexcept {
  count = 1;
  switch (wanted) {
    case WantedWay::userfault_thread:
      return {Way::userfault_thread};
    case WantedWay::userfault_signal:
      return {Way::userfault_signal};
    case WantedWay::protect:
      return {Way::protect};
    default:
      count = 3;
      return {Way::userfault_thread, Way::userfault_signal, Way::protect};
  }
}

}  // namespace

NextTouch::NextTouch(const SystemCalls& calls, const Nodes& nodes, Bytes page,
                     const MapsSource& maps) noexcept
    : calls_(calls),
      nodes_(nodes),
      page_(page.count),
      maps_(maps),
      regions_(calls_),
      by_thread_(calls_),
      by_signal_(calls_),
      by_thread_monitor_(by_thread_, *this),
      by_signal_monitor_(by_signal_, *this) {}

NextTouch::~NextTouch() {
  settle_until_done(0, UINTPTR_MAX, true);
  by_thread_monitor_.stop();
  by_signal_monitor_.stop();
  forget_faults(this);
  by_thread_.close();
  by_signal_.close();
  regions_.clear();
}

int NextTouch::prepare(Way way) noexcept {
  if (way == Way::protect) return watch_faults(SIGSEGV, &on_fault, this);
  Userfault& userfault = userfault_of(way);
  const bool signal = way == Way::userfault_signal;
  if (userfault.descriptor() < 0) {
    if (const int error = userfault.open(signal); error != 0) return error;
  }
  if (const int error = monitor_of(way).start(); error != 0) return error;
  return signal ? watch_faults(SIGBUS, &on_fault, this) : 0;
}

Marked NextTouch::mark(std::uintptr_t address, Bytes length,
                       const NextTouchOptions& options) noexcept {
  Marked marked;
  const std::uint64_t mask = page_ - 1;
  const std::uintptr_t begin = (address + mask) & ~mask;
  const std::uintptr_t end = (address + length.count) & ~mask;
  if (address + length.count < address || begin < address) {
    marked.error = EINVAL;
    return marked;
  }
  if (begin >= end) return marked;
  const std::uint64_t whole = end - begin;
  const std::uint64_t wanted = options.chunk.count == 0 ? whole : options.chunk.count;
  const std::uint64_t chunk = wanted >= whole ? whole : (wanted + mask) & ~mask;
  settle_until_done(begin, end, true);
  const Quiet quiet(*this);
  retire_overlap(begin, end);
  regions_.recycle();
  if (!is_data(maps_, begin, end)) {
    marked.error = EFAULT;
    return marked;
  }
  std::size_t count = 0;
  const std::array<Way, 3> ways = ways_of(options.way, count);
  for (std::size_t i = 0; i < count; ++i) {
    marked.way = ways[i];
    marked.error = prepare(ways[i]);
    // Attaching leaves the pages where they are, which userfaultfd can do only by moving them.
    const bool copies = ways[i] != Way::protect && !userfault_of(ways[i]).can_move();
    if (marked.error == 0 && options.purpose == Purpose::attach && copies) marked.error = ENOTSUP;
    if (marked.error == 0) {
      marked.error = mark_piece({begin, end, chunk, options.purpose}, ways[i]);
    }
    if (marked.error == 0) break;
  }
  if (marked.error == 0) {
    marked.bytes = {whole};
    areas_.fetch_add(1, std::memory_order_relaxed);
  }
  return marked;
}

/// Whole or not at all.
int NextTouch::mark_piece(const Area& area, Way way) noexcept {
  const int error = mark_once(area, way);
  // The kernel moves one mapping at a time; an area may consist of several.
  const std::uint64_t pages = (area.end - area.begin) / page_;
  if (error != EFAULT || pages < 2 || way == Way::protect) return error;
  const std::uintptr_t middle = area.begin + pages / 2 * page_;
  Area half = area;
  half.end = middle;
  half.chunk = std::min(area.chunk, half.end - half.begin);
  if (const int first = mark_piece(half, way); first != 0) return first;
  half = {middle, area.end, std::min(area.chunk, area.end - middle), area.purpose};
  const int second = mark_piece(half, way);
  if (second != 0) settle_overlap(area.begin, middle, true, true);
  return second;
}

int NextTouch::mark_once(const Area& area, Way way) noexcept {
  Region* const region = regions_.add(area.begin, area.end, area.chunk, way, area.purpose);
  if (region == nullptr) return ENOMEM;
  const int error = way == Way::protect ? forbid(*region) : put_aside(*region);
  if (error == 0) {
    // release: touchers that waited see the alias.
    region->state.store(Region::live, std::memory_order_release);
    return 0;
  }
  for (std::uint32_t i = 0; i < region->count; ++i) {
    region->chunks[i].store(Chunk::settled, std::memory_order_relaxed);  // relaxed: see below
  }
  region->state.store(Region::finished, std::memory_order_release);  // release: the chunks first
  regions_.retire(*region);
  return error;
}

/// The pages go elsewhere in one step, while the kernel already watches the place where they were.
int NextTouch::put_aside(Region& region) noexcept {
  const Userfault& userfault = userfault_of(region.way);
  const std::uint64_t bytes = region.end - region.begin;
  if (const int error = userfault.watch(region.begin, bytes); error != 0) return error;
  if (nodes_.several()) {
    // Whoever fetches a page allocates it, on its own node, or on the one that it sets for itself.
    const int policy = region.way == Way::userfault_signal ? MPOL_LOCAL : MPOL_DEFAULT;
    calls_.bind(pointer(region.begin), bytes, policy, nullptr);
  }
  const long alias =
      calls_.remap(pointer(region.begin), bytes, bytes, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, nullptr);
  if (alias < 0) {
    userfault.unwatch(region.begin, bytes);
    return static_cast<int>(-alias);
  }
  region.alias = static_cast<std::uintptr_t>(alias);
  // A change of that place must not be told, or the monitor would wait for itself.
  const int error = userfault.unwatch(region.alias, bytes);
  if (error != 0) {
    calls_.remap(pointer(region.alias), bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
                 pointer(region.begin));
    userfault.unwatch(region.begin, bytes);
  }
  return error;
}

int NextTouch::forbid(const Region& region) noexcept {
  const std::uint64_t bytes = region.end - region.begin;
  const long result = calls_.protect(pointer(region.begin), bytes, PROT_NONE);
  if (result < 0) calls_.protect(pointer(region.begin), bytes, PROT_READ | PROT_WRITE);
  return result < 0 ? static_cast<int>(-result) : 0;
}

void NextTouch::retire_overlap(std::uintptr_t begin, std::uintptr_t end) noexcept {
  regions_.for_each([&](Region& region) {
    if (region.end <= begin || end <= region.begin) return;
    // acquire: the last settler has let go of the area.
    while (region.state.load(std::memory_order_acquire) != Region::finished) sched_yield();
    regions_.retire(region);
  });
}

std::size_t NextTouch::count_chunks(std::uintptr_t address, Bytes length,
                                    std::uint32_t state) noexcept {
  const Quiet quiet(*this);
  std::size_t count = 0;
  const std::uintptr_t end = address + length.count;
  regions_.for_each([&](const Region& region) {
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

void NextTouch::collect(Take take, void* argument) noexcept {
  const Quiet quiet(*this);
  regions_.for_each([&](Region& region) {
    std::uintptr_t begin = region.begin;
    DomainId domain;
    for (std::uint32_t i = 0; i <= region.count; ++i) {
      // acquire: whoever is told of a touch may look at what it did.
      const std::uint32_t word =
          i == region.count ? 0 : region.chunks[i].load(std::memory_order_acquire);
      const DomainId next =
          Chunk::state(word) == Chunk::settled ? Chunk::toucher(word) : DomainId{};
      if (next == domain && i < region.count) continue;
      const std::uintptr_t end = i == region.count ? region.end : region.chunk_begin(i);
      if (domain.valid()) take(argument, begin, end, domain);
      begin = end;
      domain = next;
    }
    // acquire: as in retire_overlap().
    if (region.state.load(std::memory_order_acquire) == Region::finished) regions_.retire(region);
  });
  regions_.recycle();
}

NextTouchCounts NextTouch::counts() const noexcept {
  constexpr auto relaxed = std::memory_order_relaxed;
  return {areas_.load(relaxed), chunks_.load(relaxed), pages_.load(relaxed),
          nanoseconds_.load(relaxed), settled_.load(relaxed)};
}

void NextTouch::before_fork() noexcept {
  sigset_t all;
  sigfillset(&all);
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (;;) {
    Quiet::enter(*this);
    if (settle_overlap(0, UINTPTR_MAX, true, false)) break;
    lock_.unlock();
    sched_yield();
  }
  mask_before_fork_ = before;
}

void NextTouch::after_fork_in_parent() noexcept {
  const sigset_t before = mask_before_fork_;
  lock_.unlock();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void NextTouch::after_fork_in_child() noexcept {
  by_thread_monitor_.lose();
  by_signal_monitor_.lose();
  by_thread_.close();
  by_signal_.close();
  regions_.clear();
  after_fork_in_parent();
}

}  // namespace lares::memory
