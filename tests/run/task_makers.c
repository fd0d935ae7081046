// Whose parallel regions are: those that Lares runs have a function of its library between the
// runtime's and the program's. The program makes no tasks; the library that it loads does.
//
//   task_makers never|first|later LIBRARY
//
// `first` loads it before the first region and `later` after twenty; each time twenty regions
// follow, with its tasks if it is loaded. Prints how many of the twenty were Lares' own.
#include <dlfcn.h>
#include <execinfo.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { regions = 20, most_frames = 32, tasks = 64 };

typedef void MakeTasks(int* sums, int count);
static MakeTasks* make_tasks;

__attribute__((noinline)) static int is_ours(void) {
  void* frames[most_frames];
  const int count = backtrace(frames, most_frames);
  for (int i = 0; i < count; ++i) {
    Dl_info info;
    if (dladdr(frames[i], &info) != 0 && strstr(info.dli_fname, "liblares-openmp") != NULL)
      return 1;
  }
  return 0;
}

// The last thread's stack begins with the region: the master's has the call of it as well.
__attribute__((noinline)) static int run_regions(void) {
  int ours = 0;
  for (int r = 0; r < regions; ++r) {
    int sums[tasks] = {0};
#pragma omp parallel num_threads(2) reduction(+ : ours)
    {
      if (omp_get_thread_num() == 1) ours += is_ours();
#pragma omp single
      if (make_tasks != NULL) make_tasks(sums, tasks);
    }
    for (int i = 0; i < tasks; ++i) {
      if (sums[i] != (make_tasks != NULL ? i * i : 0)) exit(1);
    }
  }
  return ours;
}

static void load(const char* path) {
  void* library = dlopen(path, RTLD_NOW);
  if (library == NULL) {
    fprintf(stderr, "task_makers: %s\n", dlerror());
    exit(2);
  }
  *(void**)&make_tasks = dlsym(library, "make_tasks");
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  if (strcmp(argv[1], "first") == 0) {
    load(argv[2]);
    make_tasks = NULL;
  }
  const int before = run_regions();
  if (strcmp(argv[1], "later") == 0) load(argv[2]);
  printf("before=%d after=%d result=ok\n", before, run_regions());
  return 0;
}
