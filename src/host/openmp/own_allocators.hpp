// The allocators that the program's OpenMP calls reach: ours, or the stock runtime's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/openmp/allocators/store.hpp"
#include "host/openmp/stock.hpp"
#include "machine/machine.hpp"

namespace lares::omp {

/// Once, when the library is loaded; `machine` lives for ever. From then on every allocator that
/// the program makes is ours, whether Lares schedules or not.
void set_up_allocators(const machine::Machine& machine) noexcept;

/// Ours; nullptr if Lares was not set up in this process. Thread safety: any thread.
extern Store* own_store;

/// A program has set a default allocator, so the runtime must be asked for the thread's.
void note_default_set() noexcept;
/// The default allocator of the calling thread or task, by the runtime that `caller` reaches.
Handle default_allocator(const void* caller, Abi abi) noexcept;

/// The same allocator, or the one that stands for it: what neither the program nor we made is the
/// runtime's own, made of OMP_ALLOCATOR's traits.
Handle made_known(Handle handle) noexcept;

/// Our store if `handle` is an allocator of ours, else nullptr: then it is the stock runtime's, as
/// those for devices are. null_allocator becomes the default one.
inline Store* store_for(Handle& handle, const void* caller, Abi abi) noexcept {
  if (own_store == nullptr) return nullptr;
  if (handle == null_allocator) handle = default_allocator(caller, abi);
  return Store::knows(handle) ? own_store : nullptr;
}

/// True if it was ours and is free now, or nullptr. `handle` is what the caller says of it.
inline bool free_own(void* memory, Handle handle) noexcept {
  return memory == nullptr || (own_store != nullptr && own_store->free(memory, handle));
}

/// True if it is ours.
inline bool is_own(void* memory, Handle handle) noexcept {
  return memory != nullptr && own_store != nullptr && Store::owns(memory, handle);
}

/// As omp_realloc for memory that is ours.
void* resize_own(void* memory, std::size_t bytes, Handle handle) noexcept;

/// The bytes of `count` things; so many that no allocator has them if that is no number.
inline std::size_t product(std::size_t count, std::size_t bytes) noexcept {
  std::size_t result = 0;
  return __builtin_mul_overflow(count, bytes, &result) ? SIZE_MAX : result;
}

/// As both runtimes take it: no alignment is one of 1.
inline std::size_t alignment_of(std::size_t alignment) noexcept {
  return alignment == 0 ? 1 : alignment;
}

/// Ends the program with a sentence.
[[noreturn]] void out_of_memory(std::size_t bytes) noexcept;

}  // namespace lares::omp
