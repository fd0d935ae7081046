// exit inside a task that others wait for.
// conformance: status 3
#include "check.h"

static void at_exit(void) { printf("ok at_exit\n"); }

int main(void) {
  atexit(at_exit);
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    {
#pragma omp task
      {
        printf("ok reached\n");
        exit(3);
      }
#pragma omp taskwait
    }
#pragma omp taskwait
  }
  printf("FAILED: went on after exit\n");
  return 1;
}
