// exit inside a parallel region, with tasks pending.
// conformance: status 7
#include "check.h"

static void at_exit(void) { printf("ok at_exit\n"); }

int main(void) {
  atexit(at_exit);
#pragma omp parallel
  {
    for (int i = 0; i < 20; i++) {
#pragma omp task
      linger(1);
    }
#pragma omp single
    {
      printf("ok reached\n");
      exit(7);
    }
  }
  printf("FAILED: went on after exit\n");
  return 1;
}
