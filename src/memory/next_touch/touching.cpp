// What happens when a marked page is touched, or put back without a touch.
#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "base/clock.hpp"
#include "memory/migrate/migrate.hpp"
#include "memory/next_touch/next_touch.hpp"
#include "memory/next_touch/quiet.hpp"
#include "memory/pointer.hpp"

namespace lares::memory {
namespace {

#ifndef MADV_POPULATE_WRITE
constexpr int MADV_POPULATE_WRITE = 23;
#endif

/// Waiting for another thread that is about to finish: politely, then asleep for moments.
class Patience {
 public:
  void wait() noexcept {
    constexpr int yields = 16;
    if (tries_++ < yields) {
      sched_yield();
      return;
    }
    const timespec moment{0, 20'000};
    nanosleep(&moment, nullptr);
  }

 private:
  int tries_ = 0;
};

}  // namespace

bool NextTouch::on_fault(void* self, int signal, std::uintptr_t address) noexcept {
  return static_cast<NextTouch*>(self)->fault(signal, address);
}

bool NextTouch::fault(int signal, std::uintptr_t address) noexcept {
  // What the program did to the area before this touch must be known first.
  for (Patience patience; by_signal_monitor_.busy();) patience.wait();
  const Regions::Visit visit(regions_);
  const std::uint32_t version = regions_.version();  // before the look at the table
  const std::uintptr_t page = address & ~(page_ - 1);
  Region* const region = regions_.find(address);
  const Way expected = signal == SIGBUS ? Way::userfault_signal : Way::protect;
  if (region == nullptr || region->way != expected) return stray_fault(signal, page, version);
  Patience patience;
  // acquire: the alias was written before.
  while (region->state.load(std::memory_order_acquire) == Region::marking) patience.wait();
  const std::uint32_t index = region->index_of(address);
  // acquire: who settled it made the page usable before.
  if (Chunk::state(region->chunks[index].load(std::memory_order_acquire)) == Chunk::settled) {
    return stray_fault(signal, page, version);
  }
  // Whatever goes wrong here passes: the access is repeated, and faults again.
  if (settle_chunk(*region, index, {nodes_.here(calls_), true}) != 0) patience.wait();
  return true;
}

/// A touch that came too late: the page is usable by now. Or an area's page that the program has
/// emptied since: a fresh one is due. Or nothing of ours; unless an area was marked or forgotten
/// since `version` of the table, for then the page may be closed again: the repeated access tells.
bool NextTouch::stray_fault(int signal, std::uintptr_t page, std::uint32_t version) noexcept {
  if (signal == SIGBUS && by_signal_.descriptor() >= 0) {
    const int error = zero_unmarked(Way::userfault_signal, page);
    if (error == 0 || error == EEXIST || error == EAGAIN) return true;
  }
  if (calls_.advise(pointer(page), page_, MADV_POPULATE_WRITE) >= 0) return true;
  return regions_.version() != version;
}

/// An area is marked under the lock only: whoever fills a page that lies aside loses what it held.
/// The kernel need not object, even to a descriptor that is not the area's.
int NextTouch::zero_unmarked(Way way, std::uintptr_t page) noexcept {
  const std::unique_lock<std::mutex> lock(lock_, std::try_to_lock);
  if (!lock) return EAGAIN;
  const Region* const region = regions_.find(page);
  // acquire: as in fault().
  if (region != nullptr && Chunk::state(region->chunks[region->index_of(page)].load(
                               std::memory_order_acquire)) != Chunk::settled) {
    return region->way == way ? EAGAIN : EEXIST;  // another's to give: repeat the access
  }
  return userfault_of(way).zero(page, page_);
}

int NextTouch::touched(Userfault& source, std::uintptr_t address, pid_t thread) noexcept {
  const Regions::Visit visit(regions_);
  const std::uintptr_t page = address & ~(page_ - 1);
  Region* const region = regions_.find(address);
  // acquire: as in fault().
  const std::uint32_t state =
      region == nullptr ? Region::empty : region->state.load(std::memory_order_acquire);
  if (state == Region::marking) return EAGAIN;
  const bool ours = region != nullptr && region->way == Way::userfault_thread;
  const std::uint32_t index = ours ? region->index_of(address) : 0;
  if (!ours ||
      Chunk::state(region->chunks[index].load(std::memory_order_acquire)) == Chunk::settled) {
    // As in stray_fault(); a page that is there stays.
    if (zero_unmarked(Way::userfault_thread, page) == EAGAIN) return EAGAIN;
    source.wake(page, page_);
    return 0;
  }
  const DomainId domain = nodes_.domain_of_cpu(cpu_of_thread(thread), 0);
  const OsNode node = nodes_.node_of(domain);
  if (nodes_.several() && node.valid()) {
    const NodeMask mask(node);
    calls_.prefer(MPOL_PREFERRED, mask.words());
  }
  const int error = settle_chunk(*region, index, {domain, true, false});
  if (error == EAGAIN) return EAGAIN;
  // Other errors pass: the toucher touches again.
  source.wake(page, page_);
  return 0;
}

int NextTouch::settle_chunk(Region& region, std::uint32_t index, const Toucher& toucher) noexcept {
  std::atomic<std::uint32_t>& chunk = region.chunks[index];
  for (Patience patience;;) {
    std::uint32_t seen = chunk.load(std::memory_order_acquire);  // acquire: as in fault()
    if (Chunk::state(seen) == Chunk::settled) return 0;
    if (Chunk::state(seen) == Chunk::busy) {
      if (!toucher.waits) return EAGAIN;
      patience.wait();
      continue;
    }
    // acquire: the last one who was busy with it left a part done, perhaps.
    if (!chunk.compare_exchange_strong(seen, Chunk::busy, std::memory_order_acquire)) continue;
    const Nanoseconds start = now();
    const int error = carry(region, region.chunk_begin(index), region.chunk_end(index), toucher);
    if (error != 0) {
      chunk.store(Chunk::aside, std::memory_order_release);  // release: what is done already
      return error;
    }
    if (toucher.fetches) {
      count(region, index, (now() - start).count);
    } else {
      settled_.fetch_add(1, std::memory_order_relaxed);
    }
    settled(region, index, toucher.domain);
    return 0;
  }
}

void NextTouch::count(const Region& region, std::uint32_t index,
                      std::int64_t nanoseconds) noexcept {
  constexpr auto relaxed = std::memory_order_relaxed;
  chunks_.fetch_add(1, relaxed);
  pages_.fetch_add((region.chunk_end(index) - region.chunk_begin(index)) / page_, relaxed);
  nanoseconds_.fetch_add(static_cast<std::uint64_t>(nanoseconds), relaxed);
}

/// The last one cleans up.
void NextTouch::settled(Region& region, std::uint32_t index, DomainId domain) noexcept {
  // release: whoever sees it settled can use the pages.
  region.chunks[index].store(Chunk::settled_by(domain), std::memory_order_release);
  // acq_rel: the last one comes after all others.
  if (region.waiting.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (region.way != Way::protect) {
    const Userfault& userfault = userfault_of(region.way);
    if (userfault.unwatch(region.begin, region.end - region.begin) != 0) {
      // Something else was mapped into it meanwhile.
      for (std::uint32_t i = 0; i < region.count; ++i) {
        userfault.unwatch(region.chunk_begin(i), region.chunk_end(i) - region.chunk_begin(i));
      }
    }
    calls_.unmap(pointer(region.alias), region.end - region.begin);
  }
  region.state.store(Region::finished, std::memory_order_release);  // release: all of the above
}

int NextTouch::carry(const Region& region, std::uintptr_t begin, std::uintptr_t end,
                     const Toucher& toucher) noexcept {
  if (region.way == Way::protect) return toucher.fetches ? allow(region, begin, end, toucher) : 0;
  const bool stay = !toucher.fetches || region.purpose == Purpose::attach;
  return carry_pages(region, begin, region.aside(begin), end - begin, stay);
}

int NextTouch::carry_pages(const Region& region, std::uintptr_t to, std::uintptr_t from,
                           std::uint64_t bytes, bool stay) noexcept {
  const Userfault& userfault = userfault_of(region.way);
  int error = ENOTSUP;
  if (stay && userfault.can_move()) error = userfault.move(to, from, bytes, page_);
  if (error == 0 || error == ENOENT || error == EAGAIN) return error;
  error = userfault.copy(to, from, bytes, page_);
  // For few pages the call costs more than the memory is worth until the area is done with.
  const std::uint64_t worth_freeing = 16 * page_;
  if (error == 0 && bytes >= worth_freeing) calls_.advise(pointer(from), bytes, MADV_DONTNEED);
  if (error == 0 || error == ENOENT || error == EAGAIN) return error;
  // No memory for a copy: the pages themselves come back, wherever they are.
  if (userfault.can_move()) error = userfault.move(to, from, bytes, page_);
  return error;
}

int NextTouch::allow(const Region& region, std::uintptr_t begin, std::uintptr_t end,
                     const Toucher& toucher) noexcept {
  // First usable, then moved: older kernels do not see pages that nobody may touch, and others
  // can go on meanwhile.
  const long result = calls_.protect(pointer(begin), end - begin, PROT_READ | PROT_WRITE);
  // A hole where the program has unmapped a part ends the call before it is done.
  if (result == -ENOMEM) return allow_pages(begin, end);
  if (result < 0) return static_cast<int>(-result);
  if (region.purpose == Purpose::attach || !nodes_.several()) return 0;
  MoveOptions options;
  options.page = {page_};
  migrate_in_handler(calls_, begin, {end - begin}, nodes_.node_of(toucher.domain), options);
  return 0;
}

int NextTouch::allow_pages(std::uintptr_t begin, std::uintptr_t end) noexcept {
  for (std::uintptr_t page = begin; page < end; page += page_) {
    if (calls_.protect(pointer(page), page_, PROT_READ | PROT_WRITE) >= 0) continue;
    // The kernel has no memory to split a mapping, unless there is nothing mapped.
    if (calls_.advise(pointer(page), page_, MADV_NORMAL) >= 0) return ENOMEM;
  }
  return 0;
}

/// Nobody tells that the program has put another mapping in the place of a marked one, so only what
/// is closed still is opened.
void NextTouch::allow_overlap(const Region& region, std::uintptr_t begin,
                              std::uintptr_t end) noexcept {
  const std::uintptr_t first = region.chunk_begin(region.index_of(begin));
  const std::uintptr_t last = region.chunk_end(region.index_of(end - 1));
  const bool read = for_each_mapping(maps_, [&](const Mapping& mapping) {
    const std::uintptr_t from = std::max<std::uintptr_t>(first, mapping.begin);
    const std::uintptr_t to = std::min<std::uintptr_t>(last, mapping.end);
    if (from < to && mapping.closed) {
      calls_.protect(pointer(from), to - from, PROT_READ | PROT_WRITE);
    }
  });
  if (!read) calls_.protect(pointer(first), last - first, PROT_READ | PROT_WRITE);
}

bool NextTouch::settle_overlap(std::uintptr_t begin, std::uintptr_t end, bool whole,
                               bool last) noexcept {
  bool all = true;
  regions_.for_each([&](Region& region) {
    const std::uintptr_t from = std::max(begin, region.begin);
    const std::uintptr_t to = std::min(end, region.end);
    if (from >= to) return;
    if (region.way == Way::protect) {
      allow_overlap(region, whole ? region.begin : from, whole ? region.end : to);
    }
    std::uint32_t index = whole ? 0 : region.index_of(from);
    const std::uint32_t beyond = whole ? region.count : region.index_of(to - 1) + 1;
    for (; index < beyond; ++index) {
      // A destination that stays away without a message is gone for good.
      const int error = settle_chunk(region, index, {});
      if (error == ENOENT && last) {
        drop(region, index);
      } else if (error != 0) {
        all = false;
      }
    }
  });
  return all;
}

void NextTouch::settle_until_done(std::uintptr_t begin, std::uintptr_t end, bool whole) noexcept {
  constexpr int tries_before_dropping = 100;
  Patience patience;
  for (int tries = 0;; ++tries) {
    {
      const Quiet quiet(*this);
      if (settle_overlap(begin, end, whole, tries > tries_before_dropping)) return;
    }
    patience.wait();
  }
}

void NextTouch::drop(Region& region, std::uint32_t index) noexcept {
  std::uint32_t expected = Chunk::aside;
  if (region.chunks[index].compare_exchange_strong(expected, Chunk::busy,
                                                   std::memory_order_acquire)) {
    settled(region, index, DomainId{});
  }
}

void NextTouch::settle(std::uintptr_t address, Bytes length) noexcept {
  if (length.count != 0) settle_until_done(address, address + length.count, false);
}

void NextTouch::touch(std::uintptr_t address, Bytes length) noexcept {
  const std::uintptr_t end = address + length.count;
  for (std::uintptr_t at = address; at < end;) {
    *static_cast<const volatile char*>(pointer(at));
    at = (at & ~(page_ - 1)) + page_;
  }
}

int NextTouch::unmapped(Userfault& source, std::uintptr_t begin, std::uintptr_t end) noexcept {
  return pages_went(source, begin, end, nullptr);
}

int NextTouch::moved(Userfault& source, std::uintptr_t begin, std::uintptr_t end,
                     std::uintptr_t to) noexcept {
  return pages_went(source, begin, end, &to);
}

int NextTouch::emptied(std::uintptr_t begin, std::uintptr_t end) noexcept {
  const std::unique_lock<std::mutex> lock(lock_, std::try_to_lock);
  if (!lock) return EAGAIN;
  regions_.for_each([&](const Region& region) {
    const std::uintptr_t from = std::max(begin, region.begin);
    const std::uintptr_t to = std::min(end, region.end);
    // acquire: a finished area has no alias any more.
    const bool is_live = region.state.load(std::memory_order_acquire) == Region::live;
    if (from < to && is_live && region.way != Way::protect) {
      calls_.advise(pointer(region.aside(from)), to - from, MADV_DONTNEED);
    }
  });
  return 0;
}

int NextTouch::pages_went(const Userfault& source, std::uintptr_t begin, std::uintptr_t end,
                          const std::uintptr_t* to) noexcept {
  const std::unique_lock<std::mutex> lock(lock_, std::try_to_lock);
  if (!lock) return EAGAIN;
  int error = 0;
  bool own = false;
  regions_.for_each([&](Region& region) {
    if (to != nullptr && region.alias == *to) own = true;  // our own putting aside
  });
  if (own) return 0;
  regions_.for_each([&](Region& region) {
    const std::uintptr_t from = std::max(begin, region.begin);
    const std::uintptr_t until = std::min(end, region.end);
    if (from >= until || region.way == Way::protect) return;
    const std::uint32_t last = region.index_of(until - 1);
    for (std::uint32_t i = region.index_of(from); i <= last && error == 0; ++i) {
      error = chunk_went(region, i, begin, end, to);
    }
  });
  if (error == 0 && to != nullptr) source.unwatch(*to, end - begin);
  return error;
}

int NextTouch::chunk_went(Region& region, std::uint32_t index, std::uintptr_t begin,
                          std::uintptr_t end, const std::uintptr_t* to) noexcept {
  std::atomic<std::uint32_t>& chunk = region.chunks[index];
  std::uint32_t seen = chunk.load(std::memory_order_acquire);  // acquire: as in fault()
  if (Chunk::state(seen) == Chunk::settled) return 0;
  if (Chunk::state(seen) == Chunk::busy) return EAGAIN;
  // acquire: as in settle_chunk().
  if (!chunk.compare_exchange_strong(seen, Chunk::busy, std::memory_order_acquire)) return EAGAIN;
  const std::uintptr_t chunk_begin = region.chunk_begin(index);
  const std::uintptr_t chunk_end = region.chunk_end(index);
  const std::uintptr_t gone_begin = std::max(begin, chunk_begin);
  const std::uintptr_t gone_end = std::min(end, chunk_end);
  const auto bring = [&](std::uintptr_t from, std::uintptr_t until, std::uintptr_t target) {
    if (from >= until) return 0;
    const int error = carry_pages(region, target, region.aside(from), until - from, true);
    return error == EAGAIN ? EAGAIN : 0;  // other errors: that place is gone, too
  };
  int error = bring(chunk_begin, gone_begin, chunk_begin);
  if (error == 0) error = bring(gone_end, chunk_end, gone_end);
  if (error == 0 && to != nullptr) error = bring(gone_begin, gone_end, *to + (gone_begin - begin));
  if (error != 0) {
    chunk.store(Chunk::aside, std::memory_order_release);  // release: what is done already
    return error;
  }
  settled(region, index, DomainId{});
  return 0;
}

}  // namespace lares::memory
