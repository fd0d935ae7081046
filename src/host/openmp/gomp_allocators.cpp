// What GCC's code calls for `allocate` clauses and directives.
#include "host/openmp/own_allocators.hpp"

namespace omp = lares::omp;
using omp::Handle;

// NOLINTBEGIN: the names and types are libgomp's.
LARES_EXPORT void* GOMP_alloc(std::size_t alignment, std::size_t bytes, Handle handle) {
  omp::Store* const store = omp::store_for(handle, __builtin_return_address(0), omp::Abi::gomp);
  if (store == nullptr) {
    LARES_REAL_BY_CALLER(GOMP_alloc);
    return GOMP_alloc_real(alignment, bytes, handle);
  }
  void* const memory = store->allocate(handle, {bytes, omp::alignment_of(alignment), false});
  // The code behind a clause looks at no null pointer.
  if (memory == nullptr && bytes != 0) omp::out_of_memory(bytes);
  return memory;
}

LARES_EXPORT void GOMP_free(void* memory, Handle handle) {
  if (omp::free_own(memory, handle)) return;
  LARES_REAL_BY_CALLER(GOMP_free);
  GOMP_free_real(memory, handle);
}
// NOLINTEND
