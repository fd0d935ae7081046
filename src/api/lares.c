// The C interface: it asks the process what it runs under, and links nothing of Lares itself.
#include "lares/lares.h"

#include <dlfcn.h>
#include <stdlib.h>

#define LARES_PUBLIC __attribute__((visibility("default")))

LARES_PUBLIC const char* lares_version(void) { return LARES_VERSION; }

LARES_PUBLIC int lares_active(void) {
  // Both are asked: the variable is inherited by programs that the preload cannot reach, and the
  // symbol is also there when somebody preloads the library without `lares run`.
  return getenv("LARES_SESSION") != NULL && dlsym(RTLD_DEFAULT, "lares_runtime_active") != NULL;
}
