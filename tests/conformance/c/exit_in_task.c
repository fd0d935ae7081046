// exit inside a task.
// conformance: status 9
#include "check.h"

static void at_exit(void) { printf("ok at_exit\n"); }

int main(void) {
  atexit(at_exit);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; i++) {
#pragma omp task firstprivate(i)
    {
      linger(1);
      if (i == 42) {
        printf("ok reached\n");
        exit(9);
      }
    }
  }
  printf("FAILED: went on after exit\n");
  return 1;
}
