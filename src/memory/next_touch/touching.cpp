// What happens when a marked page is touched.
#include <linux/mempolicy.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>

#include "memory/next_touch/next_touch.hpp"
#include "memory/pointer.hpp"
#include "memory/whereabouts.hpp"

namespace lares::memory {

bool NextTouch::on_fault(void* self, const Fault& fault) noexcept {
  return static_cast<NextTouch*>(self)->fault(fault);
}

bool NextTouch::fault(const Fault& fault) noexcept {
  // What is marked is data, and stays what nobody can execute.
  if (fault.fetches) return false;
  const Way expected = fault.signal == SIGBUS ? Way::userfault_signal : Way::protect;
  for (Patience patience;;) {
    const std::uint32_t version = shared_.regions.version();  // before the look at the table
    const Regions::Found region = shared_.regions.find(fault.address);
    if (!region || region->way != expected) return fault.stray && stray_fault(fault, version);
    // acquire: the alias was written before.
    while (region->state.load(std::memory_order_acquire) == Region::marking) patience.wait();
    const std::uint32_t index = region->index_of(fault.address);
    // acquire: who settled it made the page usable before.
    if (Chunk::state(region->chunks[index].load(std::memory_order_acquire)) == Chunk::settled) {
      return stray_fault(fault, version);
    }
    if (expected == Way::protect && fault.writes && is_forbidden_to_write(fault.address)) {
      return false;
    }
    const int error = carrier_.bring(*region, index, {shared_.nodes.here(shared_.calls), true});
    if (error == ESTALE) continue;
    // Any other refusal passes, or hits another page: the access is repeated, and faults again.
    if (error != 0) patience.wait();
    return true;
  }
}

/// The program itself protects a page of a marked area from writing.
bool NextTouch::is_forbidden_to_write(std::uintptr_t address) noexcept {
  bool forbidden = false;
  for_each_mapping_in(shared_.maps, address, address + 1, [&](const Mapping& mapping) {
    forbidden = mapping.readable && !mapping.writable;
  });
  return forbidden;
}

/// A touch that came too late: the page is usable by now. Or an area's page that the program has
/// emptied since: a fresh one is due. Or nothing of ours; unless an area was marked or forgotten
/// since `version` of the table, for then the page may be closed again: the repeated access tells.
bool NextTouch::stray_fault(const Fault& fault, std::uint32_t version) noexcept {
  const bool bus = fault.signal == SIGBUS;
  const bool ours = (bus || shared_.regions.may_hold(fault.address)) && is_usable(fault);
  if (!ours) return shared_.regions.version() != version;
  if (bus && stray_touch(Way::userfault_signal, fault.address & ~(shared_.page - 1)) == EAGAIN) {
    Patience().wait();
  }
  return true;
}

/// Whether the mapping allows the access by now. SIGBUS in memory of no file is userfaultfd's,
/// whatever the mapping allows: it may have been closed since, and the repeated access tells.
bool NextTouch::is_usable(const Fault& fault) noexcept {
  bool usable = false;
  for_each_mapping_in(shared_.maps, fault.address, fault.address + 1, [&](const Mapping& mapping) {
    usable = fault.signal == SIGSEGV
                 ? (fault.writes ? mapping.writable : mapping.readable)
                 : mapping.anonymous && shared_.by_signal.userfault.descriptor() >= 0;
  });
  return usable;
}

/// A page in no region, or in a settled chunk, is absent. Zeros for it, or nobody asks us again. An
/// area is marked only after all who are inside the gate have left it: whoever fills a page that
/// lies aside loses what it held. 0; EAGAIN: later; or it is not ours to give.
int NextTouch::stray_touch(Way way, std::uintptr_t page) noexcept {
  Watch& watch = shared_.watch_of(way);
  if (!watch.gate.enter()) return EAGAIN;
  int error = 0;
  const Regions::Found region = shared_.regions.find(page);
  if (!region) {
    // Nobody of ours has a page for it, unless a change has brought it that is not followed.
    error = watch.userfault.zero(page, shared_.page) == EAGAIN ? EAGAIN : 0;
    // A signal does not say whose descriptor watches.
    if (error == 0 && way == Way::userfault_thread && !shared_.has_unread_change()) {
      follower_.unwatch_strays(way, page, page + shared_.page);
    }
  } else if (region->way != way) {
    // A watch that has been left behind. What is closed lies where it was, so nothing is lost.
    error = region->way == Way::protect ? watch.userfault.zero(page, shared_.page) : EEXIST;
  } else {
    // acquire, both: as in fault().
    const bool marking = region->state.load(std::memory_order_acquire) == Region::marking;
    const std::uint32_t word =
        region->chunks[region->index_of(page)].load(std::memory_order_acquire);
    const bool settled = !marking && Chunk::state(word) == Chunk::settled;
    error = settled ? watch.userfault.zero(page, shared_.page) : EAGAIN;
    if (settled && error == 0) watch.emptying.filled(page, page + shared_.page);
    if (error == EEXIST) error = 0;
  }
  watch.gate.leave();
  return error;
}

/// A locked mapping that grows elsewhere is filled by its mremap, from the old end on, before the
/// kernel tells of the move; and until that is told, it answers none of our requests but the end of
/// a watch. What has grown is nobody's yet: neither are pages of it aside, nor does anybody know
/// where it is before the call returns.
int NextTouch::touched(Way way, std::uintptr_t address, pid_t thread) noexcept {
  const std::uintptr_t page = address & ~(shared_.page - 1);
  const Userfault& userfault = shared_.watch_of(way).userfault;
  int error = fetch(way, address, thread);
  if (error == EAGAIN && userfault.has_unread_change(shared_.page) &&
      is_growing_a_mapping(thread)) {
    error = userfault.unwatch(page, shared_.page) == 0 ? 0 : EAGAIN;
  }
  if (error == 0) userfault.wake(page, shared_.page);
  return error;
}

/// 0: what there is to do for the touch is done, and the toucher may touch again; or EAGAIN.
int NextTouch::fetch(Way way, std::uintptr_t address, pid_t thread) noexcept {
  for (;;) {
    const Regions::Found region = shared_.regions.find(address);
    // acquire: as in fault().
    if (region && region->state.load(std::memory_order_acquire) == Region::marking) return EAGAIN;
    const bool ours = region && region->way == way;
    const std::uint32_t index = ours ? region->index_of(address) : 0;
    if (!ours ||
        Chunk::state(region->chunks[index].load(std::memory_order_acquire)) == Chunk::settled) {
      // As in stray_fault(); a page that is there stays.
      return stray_touch(way, address & ~(shared_.page - 1)) == EAGAIN ? EAGAIN : 0;
    }
    Toucher toucher = toucher_of(thread);
    if (shared_.nodes.several()) prefer_node(*region, index, toucher);
    const int error = carrier_.bring(*region, index, toucher);
    if (error == ESTALE) continue;
    return error == EAGAIN ? EAGAIN : 0;  // other errors pass: the toucher touches again
  }
}

Toucher NextTouch::toucher_of(pid_t thread) noexcept {
  const Whereabouts* const told = find_whereabouts(thread);
  const int known = told == nullptr ? -1 : told->cpu.load(std::memory_order_relaxed);
  const int cpu = known >= 0 ? known : cpu_of_thread(thread);
  // Unknown, as of a thread of another process: the chunk stays where it is.
  if (cpu < 0) return {DomainId{}, true, false, thread};
  const DomainId home{told == nullptr ? -1 : told->home.load(std::memory_order_relaxed)};
  const DomainId domain =
      shared_.nodes.has(home) ? home : shared_.nodes.domain_of_cpu(static_cast<unsigned>(cpu), 0);
  return {domain, true, false, thread, OsCpu{cpu}};
}

/// Pages that are copied are those of this thread: so it prefers the node for which it copies. A
/// sample stays where it lies.
void NextTouch::prefer_node(const Region& region, std::uint32_t index, Toucher& toucher) noexcept {
  OsNode node = shared_.nodes.node_of(toucher.domain);
  if (region.purpose != Purpose::migrate) {
    node = node_of_page(region.aside(region.chunk_begin(index)));
    toucher.lies = node;
    if (shared_.watch_of(region.way).userfault.can_move()) return;
  }
  if (!node.valid()) return;
  const NodeMask mask(node);
  shared_.calls.prefer(MPOL_PREFERRED, mask.words());
}

/// Invalid if it is in no memory.
OsNode NextTouch::node_of_page(std::uintptr_t page) const noexcept {
  void* at = pointer(page);
  int status = -1;
  shared_.calls.move(1, &at, nullptr, &status);
  return OsNode{std::max(status, -1)};
}

void NextTouch::touch(std::uintptr_t address, Bytes length) noexcept {
  const std::uintptr_t end = address + length.count;
  for (std::uintptr_t at = address; at < end;) {
    *static_cast<const volatile char*>(pointer(at));
    at = (at & ~(shared_.page - 1)) + shared_.page;
  }
}

int NextTouch::unmapped(Way way, std::uintptr_t begin, std::uintptr_t end) noexcept {
  return follower_.unmapped(way, begin, end);
}

int NextTouch::emptied(Way way, std::uintptr_t begin, std::uintptr_t end) noexcept {
  return follower_.emptied(way, begin, end);
}

int NextTouch::moved(Way way, std::uintptr_t begin, std::uintptr_t end,
                     std::uintptr_t to) noexcept {
  return follower_.moved(way, begin, end, to);
}

}  // namespace lares::memory
