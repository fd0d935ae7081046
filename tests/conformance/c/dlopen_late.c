// A library with OpenMP, loaded late and locally, in a program that uses OpenMP too.
// conformance: library late.c
// conformance: link -ldl
#include <dlfcn.h>
#include <pthread.h>

#include "check.h"

static int (*library_errors)(void);
static int (*library_fib)(int);

static void load(void) {
  const char* path = getenv("CONFORMANCE_LIBRARY");
  CHECK(path != NULL);
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) conformance_fail(__FILE__, __LINE__, dlerror());
  *(void**)&library_errors = dlsym(library, "late_library_errors");
  *(void**)&library_fib = dlsym(library, "late_library_fib");
  CHECK(library_errors != NULL && library_fib != NULL);
}

static void own_tasks(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; i++) {
#pragma omp task shared(done)
    bump(&done);
  }
  CHECK_EQUAL(done, 50);
}

static void loaded_before_any_region(void) {
  load();
  CHECK_EQUAL(library_errors(), 0);
  own_tasks();
}

static void loaded_after_a_region(void) {
  own_tasks();
  load();
  CHECK_EQUAL(library_errors(), 0);
  own_tasks();
  CHECK_EQUAL(library_errors(), 0);
}

static void called_inside_a_region(void) {
  int result = 0;
  load();
#pragma omp parallel
#pragma omp single
  {
#pragma omp task shared(result)
    result = library_fib(12);
  }
  CHECK_EQUAL(result, 144);
}

static void* call_from_a_thread(void* argument) {
  *(int*)argument = library_errors();
  return NULL;
}

static void called_from_another_thread(void) {
  pthread_t thread;
  int errors = -1;
  load();
  CHECK_EQUAL(pthread_create(&thread, NULL, call_from_a_thread, &errors), 0);
  own_tasks();
  pthread_join(thread, NULL);
  CHECK_EQUAL(errors, 0);
}

CASES(CASE(loaded_before_any_region), CASE(loaded_after_a_region), CASE(called_inside_a_region),
      CASE(called_from_another_thread))
