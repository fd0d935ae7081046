// What a program tells of its threads and tasks: handed on to the library of `lares run`, if it is
// there.
#include <errno.h>
#include <math.h>
#include <stdint.h>

#include "api/bubbles.h"
#include "api/in_this_process.h"
#include "lares/lares.h"
#include "lares/memory.h"

#define LARES_PUBLIC __attribute__((visibility("default")))

// As lares::omp::bubbles::DataCalls.
struct DataCalls {
  int (*homes)(const void* memory, size_t bytes, uint64_t* pages, size_t count, uint64_t* absent,
               uint64_t* unknown);
  int (*follow)(void* memory, size_t bytes, size_t chunk, int way);
};

static int follow(void* memory, size_t bytes, size_t chunk, int way) {
  return lares_migrate_on_next_touch(memory, bytes, chunk, (enum lares_next_touch_way)way);
}

static const struct DataCalls calls = {lares_homes, follow};

static int mistake(void) {
  errno = EINVAL;
  return -1;
}

LARES_PUBLIC int lares_set_thread_affinity(const void* memory, size_t bytes,
                                           enum lares_shake shake) {
  int (*tell)(const void*, size_t, int, const struct DataCalls*) = NULL;
  const int beyond = bytes != 0 && (uintptr_t)memory > UINTPTR_MAX - bytes;
  if (memory == NULL || bytes == 0 || beyond) return mistake();
  if (shake < LARES_SHAKE_NOT || shake > LARES_SHAKE_TEAM) return mistake();
  if (find_in_this_process("lares_runtime_thread_data", (void*)&tell))
    tell(memory, bytes, (int)shake, &calls);
  return 0;
}

void lares_tell_next_team_data(const void* memory, size_t bytes, size_t chunk) {
  void (*tell)(const void*, size_t, size_t, const struct DataCalls*) = NULL;
  if (find_in_this_process("lares_runtime_next_team_data", (void*)&tell))
    tell(memory, bytes, chunk, &calls);
}

LARES_PUBLIC int lares_clear_thread_affinity(void) {
  void (*clear)(void) = NULL;
  if (find_in_this_process("lares_runtime_clear_thread_data", (void*)&clear)) clear();
  return 0;
}

static int tell_number(const char* name, double value) {
  void (*tell)(double) = NULL;
  if (!isfinite(value) || value < 0) return mistake();
  if (find_in_this_process(name, (void*)&tell)) tell(value);
  return 0;
}

LARES_PUBLIC int lares_set_load(double work_left) {
  return tell_number("lares_runtime_thread_load", work_left);
}

LARES_PUBLIC int lares_set_memory_intensity(double intensity) {
  return tell_number("lares_runtime_thread_intensity", intensity);
}

LARES_PUBLIC int lares_set_taskgroup_affinity(const void* memory, size_t bytes) {
  void (*tell)(const void*, size_t) = NULL;
  const int beyond = bytes != 0 && (uintptr_t)memory > UINTPTR_MAX - bytes;
  if ((memory == NULL) != (bytes == 0) || beyond) return mistake();
  if (find_in_this_process("lares_runtime_group_data", (void*)&tell)) tell(memory, bytes);
  return 0;
}
