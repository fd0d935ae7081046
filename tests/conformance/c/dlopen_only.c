// A program without OpenMP loads a library that uses it.
// conformance: library late.c
// conformance: no-openmp
// conformance: link -ldl
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  int (*library_errors)(void) = NULL;
  void* library = dlopen(getenv("CONFORMANCE_LIBRARY"), RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    printf("FAILED to load: %s\n", dlerror());
    return 1;
  }
  *(void**)&library_errors = dlsym(library, "late_library_errors");
  for (int i = 0; i < 3; i++) {
    if (library_errors() == 0) continue;
    printf("FAILED: wrong results in round %d\n", i);
    return 1;
  }
  printf("ok the_library_works\n");
  return 0;
}
