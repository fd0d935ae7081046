// Memory by OpenMP's allocators: what omp_alloc and its family do, without their names.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "host/openmp/allocators/header.hpp"
#include "host/openmp/allocators/quota.hpp"
#include "host/openmp/allocators/slabs.hpp"
#include "host/openmp/allocators/spaces.hpp"
#include "host/openmp/allocators/traits.hpp"
#include "memory/calls.hpp"

namespace lares::omp {

/// What the store asks of the rest of the process; tests bring their own.
struct Surroundings {
  const memory::SystemCalls* calls = nullptr;
  /// mlock: 0, or -errno.
  long (*pin)(void* address, std::size_t bytes) noexcept = nullptr;
  /// The domain that the calling thread runs in.
  DomainId (*here)() noexcept = nullptr;
  /// The domains of the calling thread's team, or none outside of a region.
  void (*team)(std::vector<DomainId>& domains) noexcept = nullptr;
  /// The table of homes; may be null.
  void (*give_home)(std::uintptr_t address, std::size_t bytes, DomainId home) noexcept = nullptr;
  void (*forget_home)(std::uintptr_t address, std::size_t bytes) noexcept = nullptr;
  /// What abort_fb does; does not return in earnest.
  void (*give_up)(std::size_t bytes) noexcept = nullptr;
};

/// An allocator that a program made, or a predefined one.
struct Allocator {
  static constexpr std::uint64_t mark = 0x6C617265'73616C6C;
  static constexpr std::uint64_t ended = 0x6C617265'7364656E;
  std::uint64_t magic = mark;
  Traits traits;
  const Space* space = nullptr;
  bool placed = false;  ///< its memory is not simply the C library's
  Quota quota{SIZE_MAX};

  [[nodiscard]] bool limited() const noexcept { return traits.pool_size != SIZE_MAX; }
  [[nodiscard]] Handle handle() const noexcept { return reinterpret_cast<Handle>(this); }
};

struct AllocationRequest {
  std::size_t bytes = 0;
  std::size_t alignment = 1;  ///< a power of two
  bool zeroed = false;

  /// Not by counting bits, for which x86-64 without extensions needs a function of the compiler's.
  [[nodiscard]] bool makes_sense() const noexcept {
    return bytes != 0 && alignment != 0 && (alignment & (alignment - 1)) == 0;
  }
};

/// What every allocation here is aligned to: as malloc's.
inline constexpr std::size_t least_alignment = 16;

/// Memory of default_mem_alloc: the C library's, nullptr if it has none. Inline, so that what the
/// caller knows of alignment and zeros costs nothing; and field by field, since a copy of the
/// request, just written, would cost more than the rest. Precondition: makes_sense().
inline void* default_memory(const AllocationRequest& wanted) noexcept {
  const std::size_t alignment = std::max(wanted.alignment, least_alignment);
  std::size_t bytes = 0;
  if (__builtin_add_overflow(wanted.bytes, sizeof(Header) + alignment - least_alignment, &bytes)) {
    return nullptr;
  }
  void* const base = wanted.zeroed ? std::calloc(1, bytes) : std::malloc(bytes);
  if (base == nullptr) return nullptr;
  return put_header(user_part(base, alignment), base, wanted.bytes, default_mem_alloc,
                    static_cast<std::uintptr_t>(Origin::heap));
}

/// All allocators of a process. Thread safety: every function from any thread.
class Store {
 public:
  Store(const machine::Machine& machine, const Surroundings& around);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// True for the predefined allocators and those made here; not for null_allocator.
  [[nodiscard]] static bool knows(Handle handle) noexcept;

  /// True for handles whose memory may be ours: null_allocator, those that are known, and those
  /// that were until they were destroyed.
  [[nodiscard]] static bool may_own(Handle handle) noexcept;

  /// null_allocator if the traits are wrong or there is no memory (omp_init_allocator).
  Handle make(MemorySpace space, std::span<const AllocatorTrait> traits) noexcept;
  Handle make(MemorySpace space, const Traits& traits) noexcept;
  /// Nothing for a predefined one. Memory of it that is still in use can be freed afterwards.
  void destroy(Handle handle) noexcept;

  /// nullptr for 0 bytes or an alignment that is none, or if the fallback says so.
  /// Precondition: knows(handle).
  void* allocate(Handle handle, const AllocationRequest& request) noexcept {
    // By far the commonest, and without a fallback.
    if (handle == default_mem_alloc) [[likely]] {
      return request.makes_sense() ? default_memory(request) : nullptr;
    }
    return allocate_by(handle, request);
  }
  /// True if the memory is from here. What other allocators give out need not have anything before
  /// it, nor be memory of this process (a device's). Precondition: not null.
  static bool owns(void* memory, Handle handle) noexcept {
    return may_own(handle) && is_ours(memory);
  }
  /// False, and nothing is done, if the memory is not from here; `handle` is where the caller says
  /// that it is from. Precondition: not null.
  bool free(void* memory, Handle handle = null_allocator) noexcept {
    if (!owns(memory, handle)) return false;
    Header& header = header_of(memory);
    if ((header.seal & flag_bits) == static_cast<std::uintptr_t>(Origin::heap)) [[likely]] {
      header.seal = 0;
      std::free(header.base);
    } else {
      free_placed(memory);
    }
    return true;
  }
  /// The contents move to memory of that allocator, null_allocator: of the one that it is from.
  /// Precondition: is_ours(memory), bytes > 0.
  void* resize(void* memory, std::size_t bytes, Handle handle) noexcept;

  /// For pthread_atfork.
  void before_fork() noexcept;
  void after_fork() noexcept;

 private:
  void* allocate_by(Handle handle, const AllocationRequest& wanted) noexcept;
  void free_placed(void* memory) noexcept;
  Allocator& allocator(Handle handle) noexcept;
  void* attempt(Allocator& from, Handle handle, const AllocationRequest& request) noexcept;
  void* from_somewhere(const Allocator& from, Handle handle,
                       const AllocationRequest& request) noexcept;
  void* from_slab(const Allocator& from, Handle handle, const AllocationRequest& request) noexcept;
  void* from_pages(const Allocator& from, Handle handle, const AllocationRequest& request) noexcept;
  void* resize_within(void* memory, std::size_t bytes, Handle handle) noexcept;
  struct PlacedPages {
    bool homed = false;        ///< the table of homes was told
    std::size_t mappings = 0;  ///< taken from the budget
  };
  /// No page is touched.
  PlacedPages place(const Allocator& from, std::uintptr_t base, std::size_t bytes) noexcept;
  /// True if the table of homes was told.
  bool place_on(const Space& space, DomainId target, std::uintptr_t base,
                std::size_t bytes) noexcept;
  [[nodiscard]] DomainId target_of(const Allocator& from) noexcept;
  [[nodiscard]] std::vector<DomainId> targets_of_team(const Space& space) noexcept;
  void end(Allocator& allocator) noexcept;
  void release(void* memory) noexcept;
  void release_pages(void* base, std::size_t bytes, Origin origin) noexcept;

  const Surroundings around_;
  const Spaces spaces_;
  const std::size_t page_;
  std::array<Allocator, last_predefined + 1> predefined_;  ///< by handle; set at construction
  std::vector<std::unique_ptr<Slabs>> slabs_;  ///< by OsNode; set once; null: no target anywhere
  std::mutex ended_lock_;
  /// Allocators that ended, for the next ones: never given back, so that may_own() can read them.
  /// Under ended_lock_.
  std::vector<Allocator*> ended_;
  std::atomic<std::uint32_t> turn_{0};  ///< whose turn it is to hold a small block
};

}  // namespace lares::omp
