// A program and a library from different compilers: two OpenMP runtimes in one process.
// conformance: library late.c by the other compiler
// conformance: link -ldl
#include <dlfcn.h>

#include "check.h"

static int (*library_errors)(void);

static void load(void) {
  void* library = dlopen(getenv("CONFORMANCE_LIBRARY"), RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) conformance_fail(__FILE__, __LINE__, dlerror());
  *(void**)&library_errors = dlsym(library, "late_library_errors");
  CHECK(library_errors != NULL);
}

static void own_tasks(void) {
  int value = 0;
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; i++) {
#pragma omp task depend(inout : value) shared(value)
    value++;
#pragma omp task shared(done)
    bump(&done);
  }
  CHECK_EQUAL(value, 50);
  CHECK_EQUAL(done, 50);
}

static void taking_turns(void) {
  load();
  for (int round = 0; round < 5; round++) {
    own_tasks();
    CHECK_EQUAL(library_errors(), 0);
  }
}

CASES(CASE(taking_turns))
