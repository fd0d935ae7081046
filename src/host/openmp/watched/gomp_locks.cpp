// OpenMP's locks, of which a tool is told; they are libgomp's. libomp tells of its own by itself:
// these are left by a jump, so that it sees the program's address.
#include "host/openmp/tools/finding.hpp"
#include "host/openmp/tools/mutexes.hpp"

namespace lares::omp::locks {

namespace {

using tools::ompt::Mutex;
using Act = void(void*);

void init(Act* real, void* lock, const void* call_site) {
  real(lock);
  tools::tell_lock_init(Mutex::lock, 0, lock, call_site);
}

void destroy(Act* real, void* lock, const void* call_site) {
  real(lock);
  tools::tell_lock_destroy(Mutex::lock, lock, call_site);
}

void set(Act* real, void* lock, const void* call_site) {
  tools::wait_for_mutex(Mutex::lock, lock, call_site);
  real(lock);
  tools::own_mutex(Mutex::lock, lock, call_site);
}

void unset(Act* real, void* lock, const void* call_site) {
  real(lock);
  tools::give_mutex_back(Mutex::lock, lock, call_site);
}

int test(int (*real)(void*), void* lock, const void* call_site) {
  tools::wait_for_mutex(Mutex::test_lock, lock, call_site);
  const int is_set = real(lock);
  if (is_set != 0) tools::own_mutex(Mutex::test_lock, lock, call_site);
  return is_set;
}

}  // namespace

}  // namespace lares::omp::locks

namespace locks = lares::omp::locks;
namespace tools = lares::omp::tools;

#define LARES_LOCK(result, name, told)                                  \
  LARES_EXPORT result name(void* lock) {                                \
    LARES_REAL_BY_CALLER(name);                                         \
    if (!tools::tells_of(*stock)) return name##_real(lock);             \
    return locks::told(name##_real, lock, __builtin_return_address(0)); \
  }                                                                     \
  static_assert(true)

// NOLINTBEGIN: the names and types are OpenMP's.
LARES_LOCK(void, omp_init_lock, init);
LARES_LOCK(void, omp_destroy_lock, destroy);
LARES_LOCK(void, omp_set_lock, set);
LARES_LOCK(void, omp_unset_lock, unset);
LARES_LOCK(int, omp_test_lock, test);

// gfortran's variable is as large as the lock, and is the lock.
LARES_LOCK(void, omp_init_lock_, init);
LARES_LOCK(void, omp_destroy_lock_, destroy);
LARES_LOCK(void, omp_set_lock_, set);
LARES_LOCK(void, omp_unset_lock_, unset);
LARES_LOCK(int, omp_test_lock_, test);

// libgomp's header has it, and no libgomp up to GCC 14: its lock has no use for a hint.
LARES_EXPORT void omp_init_lock_with_hint(void* lock, unsigned hint) {
  LARES_REAL_BY_CALLER(omp_init_lock_with_hint);
  const bool told = tools::tells_of(*stock);
  if (!told && omp_init_lock_with_hint_real != nullptr) {
    return omp_init_lock_with_hint_real(lock, hint);
  }
  lares::omp::real<void(void*)>(*stock, lares::omp::Entry::omp_init_lock)(lock);
  if (!told) return;
  tools::tell_lock_init(tools::ompt::Mutex::lock, hint, lock, __builtin_return_address(0));
}
// NOLINTEND
