// Threads and their data, for a process in which no bubbles are scheduled.
#include "lares/lares.h"

#define LARES_WEAK __attribute__((visibility("default"), weak))

LARES_WEAK int lares_set_thread_affinity(const void* memory, size_t bytes, enum lares_shake shake) {
  (void)memory;
  (void)bytes;
  (void)shake;
  return 0;
}

LARES_WEAK int lares_clear_thread_affinity(void) { return 0; }

LARES_WEAK int lares_set_load(double work_left) {
  (void)work_left;
  return 0;
}

LARES_WEAK int lares_set_memory_intensity(double intensity) {
  (void)intensity;
  return 0;
}
