// What a program can ask of Lares: the answer is that of the process that it is in.
#include "lares/lares.h"

#include <dlfcn.h>
#include <string.h>

#define LARES_PUBLIC __attribute__((visibility("default")))

LARES_PUBLIC const char* lares_version(void) { return LARES_VERSION; }

// Sets `function`, a pointer to a pointer to a function, to what the process defines as `name`.
static int find(const char* name, void* function) {
  void* symbol = dlsym(RTLD_DEFAULT, name);
  if (symbol == NULL) return 0;
  // ISO C has no conversion between pointers to objects and to functions.
  memcpy(function, &symbol, sizeof(symbol));
  return 1;
}

LARES_PUBLIC int lares_active(void) {
  int (*runtime_active)(void) = NULL;
  return find("lares_runtime_active", (void*)&runtime_active) && runtime_active() != 0;
}
