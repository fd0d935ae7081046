// What a program can ask of Lares: the answer is that of the process that it is in.
#include "lares/lares.h"

#include <dlfcn.h>
#include <string.h>

#define LARES_PUBLIC __attribute__((visibility("default")))

LARES_PUBLIC const char* lares_version(void) { return LARES_VERSION; }

LARES_PUBLIC int lares_active(void) {
  void* symbol = dlsym(RTLD_DEFAULT, "lares_runtime_active");
  if (symbol == NULL) return 0;
  int (*runtime_active)(void) = NULL;
  // ISO C has no conversion between pointers to objects and to functions.
  memcpy(&runtime_active, &symbol, sizeof(runtime_active));
  return runtime_active() != 0;
}
