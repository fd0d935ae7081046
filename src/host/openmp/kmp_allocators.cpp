// What Clang's code calls for `allocate` clauses and directives, and libomp's forms of the rest.
#include "host/openmp/control_variables.hpp"
#include "host/openmp/own_allocators.hpp"
#include "host/openmp/region.hpp"

namespace omp = lares::omp;
namespace runtime = lares::runtime;
using omp::Handle;
using omp::MemorySpace;

#define LARES_STORE_FOR(handle) omp::store_for(handle, __builtin_return_address(0), omp::Abi::kmp)

// NOLINTBEGIN: the names and types are libomp's.
LARES_EXPORT void* __kmpc_alloc(int thread, std::size_t bytes, Handle handle) {
  omp::Store* const store = LARES_STORE_FOR(handle);
  if (store != nullptr) return store->allocate(handle, {bytes, 1, false});
  LARES_REAL_BY_CALLER(__kmpc_alloc);
  return __kmpc_alloc_real(thread, bytes, handle);
}

LARES_EXPORT void* __kmpc_aligned_alloc(int thread, std::size_t alignment, std::size_t bytes,
                                        Handle handle) {
  omp::Store* const store = LARES_STORE_FOR(handle);
  if (store != nullptr) {
    return store->allocate(handle, {bytes, omp::alignment_of(alignment), false});
  }
  LARES_REAL_BY_CALLER(__kmpc_aligned_alloc);
  return __kmpc_aligned_alloc_real(thread, alignment, bytes, handle);
}

LARES_EXPORT void* __kmpc_calloc(int thread, std::size_t count, std::size_t bytes, Handle handle) {
  omp::Store* const store = LARES_STORE_FOR(handle);
  if (store != nullptr) return store->allocate(handle, {omp::product(count, bytes), 1, true});
  LARES_REAL_BY_CALLER(__kmpc_calloc);
  return __kmpc_calloc_real(thread, count, bytes, handle);
}

LARES_EXPORT void* __kmpc_realloc(int thread, void* memory, std::size_t bytes, Handle handle,
                                  Handle old) {
  if (omp::is_own(memory, old)) {
    return omp::resize_own(memory, bytes, handle);
  }
  if (memory == nullptr) {
    omp::Store* const store = LARES_STORE_FOR(handle);
    if (store != nullptr) return store->allocate(handle, {bytes, 1, false});
  }
  LARES_REAL_BY_CALLER(__kmpc_realloc);
  return __kmpc_realloc_real(thread, memory, bytes, handle, old);
}

LARES_EXPORT void __kmpc_free(int thread, void* memory, Handle handle) {
  if (omp::free_own(memory, handle)) return;
  LARES_REAL_BY_CALLER(__kmpc_free);
  __kmpc_free_real(thread, memory, handle);
}

LARES_EXPORT Handle __kmpc_init_allocator(int thread, MemorySpace space, int count,
                                          const omp::AllocatorTrait* traits) {
  if (omp::own_store != nullptr && space <= omp::last_space) {
    if (count < 0) return omp::null_allocator;
    return omp::own_store->make(space, std::span(traits, static_cast<std::size_t>(count)));
  }
  LARES_REAL_BY_CALLER(__kmpc_init_allocator);
  return __kmpc_init_allocator_real(thread, space, count, traits);
}

LARES_EXPORT void __kmpc_destroy_allocator(int thread, Handle handle) {
  if (handle == omp::null_allocator) return;
  if (omp::own_store != nullptr && omp::Store::knows(handle)) {
    return omp::own_store->destroy(handle);
  }
  LARES_REAL_BY_CALLER(__kmpc_destroy_allocator);
  __kmpc_destroy_allocator_real(thread, handle);
}

LARES_EXPORT void __kmpc_set_default_allocator(int thread, Handle handle) {
  LARES_REAL_BY_CALLER(__kmpc_set_default_allocator);
  runtime::Worker* worker = runtime::this_worker();
  if (worker != nullptr) omp::remember_control_variables(*worker);
  omp::note_default_set();
  __kmpc_set_default_allocator_real(thread, handle);
}

// libomp's own omp_get_default_allocator comes through here: it is not to be asked again.
LARES_EXPORT Handle __kmpc_get_default_allocator(int thread) {
  LARES_REAL_BY_CALLER(__kmpc_get_default_allocator);
  return omp::made_known(__kmpc_get_default_allocator_real(thread));
}
// NOLINTEND

#undef LARES_STORE_FOR
