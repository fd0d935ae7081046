// The entry points of libgomp's nestable locks, with which a tool is told of them. libomp tells of
// its own by itself: these are left by a jump, so that it sees the program's address.
#include "host/openmp/gomp_nest_locks.hpp"

#include "host/openmp/tools/finding.hpp"
#include "host/openmp/tools/mutexes.hpp"

namespace lares::omp::nest_locks {

namespace {

using tools::ompt::Mutex;

void tell_init(Stock& stock, unsigned hint, const void* lock, const void* call_site) {
  if (!tools::tells_of(stock)) return;
  tools::tell_lock_init(Mutex::nest_lock, hint, lock, call_site);
}

void tell_destroy(Stock& stock, const void* lock, const void* call_site) {
  if (!tools::tells_of(stock)) return;
  tools::tell_lock_destroy(Mutex::nest_lock, lock, call_site);
}

void set_told(Stock& stock, void* lock, const void* call_site) {
  if (!tools::tells_of(stock)) {
    set(lock);
    return;
  }
  tools::wait_for_mutex(Mutex::nest_lock, lock, call_site);
  if (set(lock)) {
    tools::own_mutex(Mutex::nest_lock, lock, call_site);
  } else {
    tools::own_again(lock, call_site);
  }
}

void unset_told(Stock& stock, void* lock, const void* call_site) {
  const bool is_last = unset(lock);
  if (!tools::tells_of(stock)) return;
  if (is_last) {
    tools::give_mutex_back(Mutex::nest_lock, lock, call_site);
  } else {
    tools::own_less(lock, call_site);
  }
}

int test_told(Stock& stock, void* lock, const void* call_site) {
  if (!tools::tells_of(stock)) return test(lock);
  tools::wait_for_mutex(Mutex::test_nest_lock, lock, call_site);
  const int count = test(lock);
  if (count == 1) tools::own_mutex(Mutex::test_nest_lock, lock, call_site);
  if (count > 1) tools::own_again(lock, call_site);
  return count;
}

}  // namespace

}  // namespace lares::omp::nest_locks

namespace nest_locks = lares::omp::nest_locks;

// NOLINTBEGIN: the names and types are OpenMP's.
LARES_EXPORT void omp_init_nest_lock(void* lock) {
  LARES_REAL_BY_CALLER(omp_init_nest_lock);
  if (!nest_locks::are_ours(*stock)) return omp_init_nest_lock_real(lock);
  nest_locks::init(lock);
  nest_locks::tell_init(*stock, 0, lock, __builtin_return_address(0));
}
LARES_EXPORT void omp_init_nest_lock_with_hint(void* lock, int hint) {
  LARES_REAL_BY_CALLER(omp_init_nest_lock_with_hint);
  if (!nest_locks::are_ours(*stock)) return omp_init_nest_lock_with_hint_real(lock, hint);
  nest_locks::init(lock);
  nest_locks::tell_init(*stock, static_cast<unsigned>(hint), lock, __builtin_return_address(0));
}
LARES_EXPORT void omp_destroy_nest_lock(void* lock) {
  LARES_REAL_BY_CALLER(omp_destroy_nest_lock);
  if (!nest_locks::are_ours(*stock)) return omp_destroy_nest_lock_real(lock);
  nest_locks::tell_destroy(*stock, lock, __builtin_return_address(0));
}
LARES_EXPORT void omp_set_nest_lock(void* lock) {
  LARES_REAL_BY_CALLER(omp_set_nest_lock);
  if (!nest_locks::are_ours(*stock)) return omp_set_nest_lock_real(lock);
  nest_locks::set_told(*stock, lock, __builtin_return_address(0));
}
LARES_EXPORT void omp_unset_nest_lock(void* lock) {
  LARES_REAL_BY_CALLER(omp_unset_nest_lock);
  if (!nest_locks::are_ours(*stock)) return omp_unset_nest_lock_real(lock);
  nest_locks::unset_told(*stock, lock, __builtin_return_address(0));
}
LARES_EXPORT int omp_test_nest_lock(void* lock) {
  LARES_REAL_BY_CALLER(omp_test_nest_lock);
  if (!nest_locks::are_ours(*stock)) return omp_test_nest_lock_real(lock);
  return nest_locks::test_told(*stock, lock, __builtin_return_address(0));
}

// gfortran's variable is too small for the lock and holds its address; libgomp makes and frees it,
// zeroed, which is a free lock of ours too.
LARES_EXPORT void omp_init_nest_lock_(void** lock) {
  LARES_REAL_BY_CALLER(omp_init_nest_lock_);
  if (!nest_locks::are_ours(*stock)) return omp_init_nest_lock__real(lock);
  omp_init_nest_lock__real(lock);
  nest_locks::tell_init(*stock, 0, *lock, __builtin_return_address(0));
}
LARES_EXPORT void omp_destroy_nest_lock_(void** lock) {
  LARES_REAL_BY_CALLER(omp_destroy_nest_lock_);
  if (!nest_locks::are_ours(*stock)) return omp_destroy_nest_lock__real(lock);
  nest_locks::tell_destroy(*stock, *lock, __builtin_return_address(0));
  omp_destroy_nest_lock__real(lock);
}
LARES_EXPORT void omp_set_nest_lock_(void** lock) {
  LARES_REAL_BY_CALLER(omp_set_nest_lock_);
  if (!nest_locks::are_ours(*stock)) return omp_set_nest_lock__real(lock);
  nest_locks::set_told(*stock, *lock, __builtin_return_address(0));
}
LARES_EXPORT void omp_unset_nest_lock_(void** lock) {
  LARES_REAL_BY_CALLER(omp_unset_nest_lock_);
  if (!nest_locks::are_ours(*stock)) return omp_unset_nest_lock__real(lock);
  nest_locks::unset_told(*stock, *lock, __builtin_return_address(0));
}
LARES_EXPORT int omp_test_nest_lock_(void** lock) {
  LARES_REAL_BY_CALLER(omp_test_nest_lock_);
  if (!nest_locks::are_ours(*stock)) return omp_test_nest_lock__real(lock);
  return nest_locks::test_told(*stock, *lock, __builtin_return_address(0));
}
// NOLINTEND
