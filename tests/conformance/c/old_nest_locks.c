// Nestable locks of programs that were linked with the libgomp of GCC 4.3 or older: half as large.
// conformance: only gcc: they are versions of libgomp's symbols
#include "check.h"

__asm__(".symver omp_init_nest_lock, omp_init_nest_lock@OMP_1.0");
__asm__(".symver omp_set_nest_lock, omp_set_nest_lock@OMP_1.0");
__asm__(".symver omp_test_nest_lock, omp_test_nest_lock@OMP_1.0");
__asm__(".symver omp_unset_nest_lock, omp_unset_nest_lock@OMP_1.0");
__asm__(".symver omp_destroy_nest_lock, omp_destroy_nest_lock@OMP_1.0");

/// What such a program has, with something of its own behind it.
struct OldLock {
  int lock[2];
  int behind[2];
};

static void nothing_is_written_behind_the_lock(void) {
  struct OldLock old;
  memset(&old, 7, sizeof(old));
  const struct OldLock before = old;
  omp_nest_lock_t* const lock = (omp_nest_lock_t*)(void*)&old.lock;
  int value = 0;
  omp_init_nest_lock(lock);
#pragma omp parallel shared(value)
  for (int i = 0; i < 50; i++) {
    omp_set_nest_lock(lock);
    omp_set_nest_lock(lock);
    value++;
    omp_unset_nest_lock(lock);
    omp_unset_nest_lock(lock);
  }
  CHECK_EQUAL(omp_test_nest_lock(lock), 1);
  omp_unset_nest_lock(lock);
  omp_destroy_nest_lock(lock);
  CHECK_EQUAL(value, 50 * omp_get_max_threads());
  CHECK_EQUAL(memcmp(old.behind, before.behind, sizeof(old.behind)), 0);
}

CASES(CASE(nothing_is_written_behind_the_lock))
