#include "host/openmp/allocators/store.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <new>

namespace lares::omp {
namespace {

/// What a piece takes with its header and the worst alignment; 0 if that is no number.
std::size_t gross(const AllocationRequest& request) noexcept {
  std::size_t sum = 0;
  const std::size_t extra = sizeof(Header) + request.alignment - least_alignment;
  return __builtin_add_overflow(request.bytes, extra, &sum) ? 0 : sum;
}

std::uintptr_t flags_of(const Allocator& from, Origin origin) noexcept {
  return static_cast<std::uintptr_t>(origin) | (from.limited() ? limited_bit : 0);
}

/// Precondition: gross(request) is a number.
void* from_heap(Handle handle, const AllocationRequest& request, std::uintptr_t flags) noexcept {
  const std::size_t bytes = gross(request);
  void* const base = request.zeroed ? std::calloc(1, bytes) : std::malloc(bytes);
  if (base == nullptr) return nullptr;
  return put_header(user_part(base, request.alignment), base, request.bytes, handle, flags);
}

/// The C library can often resize in place; nullptr if this is not a case for it.
void* resize_on_heap(void* memory, std::size_t bytes, Handle handle, const Allocator& to) noexcept {
  void* const old = header_of(memory).base;
  const std::size_t sum = gross({bytes, least_alignment, false});
  if (origin_of(memory) != Origin::heap || is_limited(memory) || sum == 0) return nullptr;
  if (to.placed || to.limited() || to.traits.alignment > least_alignment) return nullptr;
  if (user_part(old, least_alignment) != memory) return nullptr;
  void* const base = std::realloc(old, sum);
  if (base == nullptr) return nullptr;
  return put_header(user_part(base, least_alignment), base, bytes, handle,
                    flags_of(to, Origin::heap));
}

/// What stands at an address that may be an Allocator's, else 0. Runtimes have small numbers for
/// their special handles and addresses of objects of their own for the others.
std::uint64_t magic_of(Handle handle) noexcept {
  if (handle < 4096 || handle % alignof(Allocator) != 0) return 0;
  return reinterpret_cast<const Allocator*>(handle)->magic;
}

}  // namespace

Store::Store(const machine::Machine& machine, const Surroundings& around)
    : around_(around), spaces_(machine), page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
  for (Handle handle = 1; handle <= last_predefined; ++handle) {
    MemorySpace space = default_mem_space;
    if (handle == large_cap_mem_alloc) space = large_cap_mem_space;
    if (handle == high_bw_mem_alloc) space = high_bw_mem_space;
    Allocator& made = predefined_[handle];
    made.space = &spaces_.of(space);
    made.placed = made.space->special();
    made.traits.fallback = handle == default_mem_alloc ? Fallback::null : Fallback::default_memory;
  }
  for (MemorySpace space = 0; space <= last_space; ++space) {
    const Space& of = spaces_.of(space);
    for (std::size_t t = 0; t < of.size(); ++t) {
      const OsNode node = of.nodes().node_of(DomainId{t});
      if (node.index() >= slabs_.size()) slabs_.resize(node.index() + 1);
      if (slabs_[node.index()] != nullptr) continue;
      slabs_[node.index()] =
          std::make_unique<Slabs>(*around_.calls, node, machine.domain_of(node), around_.give_home);
    }
  }
}

bool Store::knows(Handle handle) noexcept {
  if (handle <= last_predefined) return handle != null_allocator;
  return magic_of(handle) == Allocator::mark;
}

bool Store::may_own(Handle handle) noexcept {
  if (handle <= last_predefined) return true;
  const std::uint64_t magic = magic_of(handle);
  return magic == Allocator::mark || magic == Allocator::ended;
}

Allocator& Store::allocator(Handle handle) noexcept {
  if (handle <= last_predefined) return predefined_[handle];
  return *reinterpret_cast<Allocator*>(handle);
}

Handle Store::make(MemorySpace space, std::span<const AllocatorTrait> traits) noexcept {
  const auto read = read_traits(traits);
  return read ? make(space, *read) : null_allocator;
}

Handle Store::make(MemorySpace space, const Traits& traits) noexcept {
  if (space > last_space) return null_allocator;
  void* memory = nullptr;
  {
    const std::lock_guard lock(ended_lock_);
    if (!ended_.empty()) {
      memory = ended_.back();
      ended_.pop_back();
    }
  }
  if (memory == nullptr) memory = std::malloc(sizeof(Allocator));
  if (memory == nullptr) return null_allocator;
  const Space& of = spaces_.of(space);
  const bool somewhere =
      of.size() > 0 &&
      (of.special() || (of.nodes().several() && traits.partition != Partition::environment));
  auto* made = new (memory)
      Allocator{Allocator::mark, traits, &of, somewhere || traits.pinned, Quota(traits.pool_size)};
  return made->handle();
}

void Store::destroy(Handle handle) noexcept {
  if (handle <= last_predefined) return;
  Allocator& ending = allocator(handle);
  if (!ending.quota.destroy()) return;  // whoever frees the last piece of it ends it
  end(ending);
}

// Nobody asks about a handle of it any more.
Store::~Store() {
  for (Allocator* const allocator : ended_) std::free(allocator);
}

void Store::end(Allocator& allocator) noexcept {
  allocator.magic = Allocator::ended;
  const std::lock_guard lock(ended_lock_);
  ended_.push_back(&allocator);
}

void* Store::allocate_by(Handle handle, const AllocationRequest& wanted) noexcept {
  if (!wanted.makes_sense()) return nullptr;
  for (;;) {
    Allocator& from = allocator(handle);
    AllocationRequest request = wanted;
    request.alignment = std::max({wanted.alignment, from.traits.alignment, least_alignment});
    if (void* const memory = attempt(from, handle, request); memory != nullptr) return memory;
    switch (from.traits.fallback) {
      case Fallback::null:
        return nullptr;
      case Fallback::abort:
        around_.give_up(wanted.bytes);
        return nullptr;
      case Fallback::default_memory:
        return default_memory(wanted);
      case Fallback::allocator:
        handle = from.traits.fallback_allocator;
        if (!knows(handle)) return nullptr;
    }
  }
}

void* Store::attempt(Allocator& from, Handle handle, const AllocationRequest& request) noexcept {
  if (gross(request) == 0) return nullptr;
  if (!from.limited()) return from_somewhere(from, handle, request);
  if (!from.quota.take(request.bytes)) return nullptr;
  void* const memory = from_somewhere(from, handle, request);
  if (memory == nullptr) from.quota.give(request.bytes);
  return memory;
}

void* Store::from_somewhere(const Allocator& from, Handle handle,
                            const AllocationRequest& request) noexcept {
  if (!from.placed) return from_heap(handle, request, flags_of(from, Origin::heap));
  const bool divided = from.traits.partition > Partition::nearest && request.bytes > page_;
  if (!from.traits.pinned && !divided && gross(request) <= Slabs::most_bytes) {
    return from_slab(from, handle, request);
  }
  return from_pages(from, handle, request);
}

std::vector<DomainId> Store::targets_of_team(const Space& space) noexcept {
  std::vector<DomainId> team;
  around_.team(team);
  return space.of_team(team);
}

DomainId Store::target_of(const Allocator& from) noexcept {
  const Space& space = *from.space;
  if (from.traits.partition <= Partition::nearest) {
    return space.nearest_to(around_.here());
  }
  // A piece smaller than a page cannot be divided, so the pieces take turns.
  const std::vector<DomainId> targets = targets_of_team(space);
  return targets[turn_.fetch_add(1, std::memory_order_relaxed) % targets.size()];
}

void* Store::from_slab(const Allocator& from, Handle handle,
                       const AllocationRequest& request) noexcept {
  const OsNode node = from.space->nodes().node_of(target_of(from));
  void* const base = slabs_[node.index()]->take(gross(request));
  if (base == nullptr) return nullptr;
  void* const memory = user_part(base, request.alignment);
  put_header(memory, base, request.bytes, handle, flags_of(from, Origin::slab));
  if (request.zeroed) std::memset(memory, 0, request.bytes);
  return memory;
}

void Store::free_placed(void* memory) noexcept {
  const Header header = header_of(memory);
  const bool limited = is_limited(memory);
  release(memory);
  if (!limited) return;
  // What is in use keeps the allocator alive, and only that: others may be gone by now.
  Allocator& from = allocator(header.allocator);
  if (from.quota.give(header.bytes)) end(from);
}

/// Precondition: is_ours(memory).
void Store::release(void* memory) noexcept {
  Header& header = header_of(memory);
  void* const base = header.base;
  const Origin origin = origin_of(memory);
  const std::uintptr_t last = reinterpret_cast<std::uintptr_t>(memory) + header.bytes;
  header.seal = 0;  // a second free is not ours
  if (origin == Origin::heap) return std::free(base);
  if (origin == Origin::slab) return Slabs::give(base);
  const auto begin = reinterpret_cast<std::uintptr_t>(base);
  const std::size_t mapped = (last - begin + page_ - 1) & ~(page_ - 1);
  release_pages(base, mapped, origin);
}

void* Store::resize(void* memory, std::size_t bytes, Handle handle) noexcept {
  const Header header = header_of(memory);
  if (handle == null_allocator) handle = header.allocator;
  if (!knows(handle)) return nullptr;
  if (is_limited(memory) && handle == header.allocator) {
    if (void* const moved = resize_within(memory, bytes, handle); moved != nullptr) return moved;
  }
  void* fresh = resize_on_heap(memory, bytes, handle, allocator(handle));
  if (fresh != nullptr) return fresh;
  fresh = allocate(handle, {bytes, 1, false});
  if (fresh == nullptr) return nullptr;
  std::memcpy(fresh, memory, std::min(bytes, header.bytes));
  free(memory);
  return fresh;
}

/// In a limited pool only the difference counts, not both pieces; nullptr if it does not fit.
void* Store::resize_within(void* memory, std::size_t bytes, Handle handle) noexcept {
  Allocator& pool = allocator(handle);
  const std::size_t old = header_of(memory).bytes;
  const std::size_t more = bytes > old ? bytes - old : 0;
  AllocationRequest request{bytes, std::max(pool.traits.alignment, least_alignment), false};
  if (gross(request) == 0 || !pool.quota.take(more)) return nullptr;
  void* const fresh = from_somewhere(pool, handle, request);
  if (fresh == nullptr) {
    pool.quota.give(more);
    return nullptr;
  }
  std::memcpy(fresh, memory, std::min(bytes, old));
  release(memory);
  if (bytes < old) pool.quota.give(old - bytes);
  return fresh;
}

void Store::before_fork() noexcept {
  ended_lock_.lock();
  for (const auto& slabs : slabs_) {
    if (slabs != nullptr) slabs->lock_all();
  }
}

void Store::after_fork() noexcept {
  for (const auto& slabs : slabs_) {
    if (slabs != nullptr) slabs->unlock_all();
  }
  ended_lock_.unlock();
}

}  // namespace lares::omp
