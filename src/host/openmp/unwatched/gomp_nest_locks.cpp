// The entry points of libgomp's nestable locks, where no tool is told of them.
#include "host/openmp/gomp_nest_locks.hpp"

namespace nest_locks = lares::omp::nest_locks;

// NOLINTBEGIN: the names and types are OpenMP's.
LARES_EXPORT void omp_init_nest_lock(void* lock) {
  LARES_REAL_BY_CALLER(omp_init_nest_lock);
  if (!nest_locks::are_ours(*stock)) return omp_init_nest_lock_real(lock);
  nest_locks::init(lock);
}
LARES_EXPORT void omp_init_nest_lock_with_hint(void* lock, int hint) {
  LARES_REAL_BY_CALLER(omp_init_nest_lock_with_hint);
  if (!nest_locks::are_ours(*stock)) return omp_init_nest_lock_with_hint_real(lock, hint);
  nest_locks::init(lock);
}
LARES_EXPORT void omp_destroy_nest_lock(void* lock) {
  LARES_REAL_BY_CALLER(omp_destroy_nest_lock);
  if (!nest_locks::are_ours(*stock)) omp_destroy_nest_lock_real(lock);
}
LARES_EXPORT void omp_set_nest_lock(void* lock) {
  LARES_REAL_BY_CALLER(omp_set_nest_lock);
  if (!nest_locks::are_ours(*stock)) return omp_set_nest_lock_real(lock);
  nest_locks::set(lock);
}
LARES_EXPORT void omp_unset_nest_lock(void* lock) {
  LARES_REAL_BY_CALLER(omp_unset_nest_lock);
  if (!nest_locks::are_ours(*stock)) return omp_unset_nest_lock_real(lock);
  nest_locks::unset(lock);
}
LARES_EXPORT int omp_test_nest_lock(void* lock) {
  LARES_REAL_BY_CALLER(omp_test_nest_lock);
  if (!nest_locks::are_ours(*stock)) return omp_test_nest_lock_real(lock);
  return nest_locks::test(lock);
}

// gfortran's variable is too small for the lock and holds its address; libgomp makes and frees it,
// zeroed, which is a free lock of ours too.
LARES_EXPORT void omp_set_nest_lock_(void** lock) {
  LARES_REAL_BY_CALLER(omp_set_nest_lock_);
  if (!nest_locks::are_ours(*stock)) return omp_set_nest_lock__real(lock);
  nest_locks::set(*lock);
}
LARES_EXPORT void omp_unset_nest_lock_(void** lock) {
  LARES_REAL_BY_CALLER(omp_unset_nest_lock_);
  if (!nest_locks::are_ours(*stock)) return omp_unset_nest_lock__real(lock);
  nest_locks::unset(*lock);
}
LARES_EXPORT int omp_test_nest_lock_(void** lock) {
  LARES_REAL_BY_CALLER(omp_test_nest_lock_);
  if (!nest_locks::are_ours(*stock)) return omp_test_nest_lock__real(lock);
  return nest_locks::test(*lock);
}
// NOLINTEND
