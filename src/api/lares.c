// What a program can ask of Lares: the answer is that of the process that it is in.
#include "lares/lares.h"

#include "api/in_this_process.h"

#define LARES_PUBLIC __attribute__((visibility("default")))

LARES_PUBLIC const char* lares_version(void) { return LARES_VERSION; }

LARES_PUBLIC int lares_active(void) {
  int (*runtime_active)(void) = NULL;
  return find_in_this_process("lares_runtime_active", (void*)&runtime_active) &&
         runtime_active() != 0;
}
