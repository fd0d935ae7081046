// What the library of `lares run` defines, if it is in this process.
#pragma once

#include <dlfcn.h>
#include <string.h>

/// Sets `function`, a pointer to a pointer to a function, to what the process defines as `name`. 0
/// if it does not.
static inline int find_in_this_process(const char* name, void* function) {
  void* symbol = dlsym(RTLD_DEFAULT, name);
  if (symbol == NULL) return 0;
  // ISO C has no conversion between pointers to objects and to functions.
  memcpy(function, &symbol, sizeof(symbol));
  return 1;
}
