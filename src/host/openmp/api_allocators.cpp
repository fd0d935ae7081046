// OpenMP's memory allocators (5.2, 18.13) for C, C++ and Fortran.
#include <cstdint>

#include "host/openmp/control_variables.hpp"
#include "host/openmp/own_allocators.hpp"
#include "host/openmp/region.hpp"

namespace omp = lares::omp;
namespace runtime = lares::runtime;
using omp::Handle;
using omp::MemorySpace;

#define LARES_STORE_FOR(handle) omp::store_for(handle, __builtin_return_address(0), omp::Abi::api)

// NOLINTBEGIN: the names and types are OpenMP's.
LARES_EXPORT void* omp_alloc(std::size_t bytes, Handle handle) {
  omp::Store* const store = LARES_STORE_FOR(handle);
  if (store != nullptr) return store->allocate(handle, {bytes, 1, false});
  LARES_REAL_BY_CALLER(omp_alloc);
  return omp_alloc_real(bytes, handle);
}

LARES_EXPORT void* omp_aligned_alloc(std::size_t alignment, std::size_t bytes, Handle handle) {
  omp::Store* const store = LARES_STORE_FOR(handle);
  if (store != nullptr) {
    return store->allocate(handle, {bytes, omp::alignment_of(alignment), false});
  }
  LARES_REAL_BY_CALLER(omp_aligned_alloc);
  return omp_aligned_alloc_real(alignment, bytes, handle);
}

LARES_EXPORT void* omp_calloc(std::size_t count, std::size_t bytes, Handle handle) {
  omp::Store* const store = LARES_STORE_FOR(handle);
  if (store != nullptr) return store->allocate(handle, {omp::product(count, bytes), 1, true});
  LARES_REAL_BY_CALLER(omp_calloc);
  return omp_calloc_real(count, bytes, handle);
}

LARES_EXPORT void* omp_aligned_calloc(std::size_t alignment, std::size_t count, std::size_t bytes,
                                      Handle handle) {
  omp::Store* const store = LARES_STORE_FOR(handle);
  if (store != nullptr) {
    return store->allocate(handle,
                           {omp::product(count, bytes), omp::alignment_of(alignment), true});
  }
  LARES_REAL_BY_CALLER(omp_aligned_calloc);
  return omp_aligned_calloc_real(alignment, count, bytes, handle);
}

LARES_EXPORT void omp_free(void* memory, Handle handle) {
  if (omp::free_own(memory, handle)) return;
  LARES_REAL_BY_CALLER(omp_free);
  omp_free_real(memory, handle);
}

LARES_EXPORT void* omp_realloc(void* memory, std::size_t bytes, Handle handle, Handle old) {
  if (omp::is_own(memory, old)) {
    return omp::resize_own(memory, bytes, handle);
  }
  if (memory == nullptr) {
    omp::Store* const store = LARES_STORE_FOR(handle);
    if (store != nullptr) return store->allocate(handle, {bytes, 1, false});
  }
  LARES_REAL_BY_CALLER(omp_realloc);
  return omp_realloc_real(memory, bytes, handle, old);
}

LARES_EXPORT Handle omp_init_allocator(MemorySpace space, int count,
                                       const omp::AllocatorTrait* traits) {
  if (omp::own_store != nullptr && space <= omp::last_space) {
    if (count < 0) return omp::null_allocator;
    return omp::own_store->make(space, std::span(traits, static_cast<std::size_t>(count)));
  }
  LARES_REAL_BY_CALLER(omp_init_allocator);
  return omp_init_allocator_real(space, count, traits);
}
LARES_EXPORT Handle omp_init_allocator_(const MemorySpace* space, const std::int32_t* count,
                                        const omp::AllocatorTrait* traits) {
  return omp_init_allocator(*space, *count, traits);
}
LARES_EXPORT Handle omp_init_allocator_8_(const MemorySpace* space, const std::int64_t* count,
                                          const omp::AllocatorTrait* traits) {
  return omp_init_allocator(*space, static_cast<int>(*count), traits);
}

LARES_EXPORT void omp_destroy_allocator(Handle handle) {
  if (handle == omp::null_allocator) return;
  if (omp::own_store != nullptr && omp::Store::knows(handle)) {
    return omp::own_store->destroy(handle);
  }
  LARES_REAL_BY_CALLER(omp_destroy_allocator);
  omp_destroy_allocator_real(handle);
}
LARES_EXPORT void omp_destroy_allocator_(const Handle* handle) { omp_destroy_allocator(*handle); }

LARES_EXPORT void omp_set_default_allocator(Handle handle) {
  LARES_REAL_BY_CALLER(omp_set_default_allocator);
  runtime::Worker* worker = runtime::this_worker();
  if (worker != nullptr) omp::remember_control_variables(*worker);
  omp::note_default_set();
  omp_set_default_allocator_real(handle);
}
LARES_EXPORT void omp_set_default_allocator_(const Handle* handle) {
  omp_set_default_allocator(*handle);
}

LARES_EXPORT Handle omp_get_default_allocator() {
  if (omp::own_store != nullptr) {
    return omp::default_allocator(__builtin_return_address(0), omp::Abi::api);
  }
  LARES_REAL_BY_CALLER(omp_get_default_allocator);
  return omp_get_default_allocator_real();
}
LARES_EXPORT Handle omp_get_default_allocator_() { return omp_get_default_allocator(); }
// NOLINTEND

#undef LARES_STORE_FOR
