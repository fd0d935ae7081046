// abort inside a task: the process ends by the signal.
// conformance: status SIGABRT
#include <sys/resource.h>

#include "check.h"

int main(void) {
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  printf("ok started\n");
  fflush(stdout);
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    abort();
#pragma omp taskwait
  }
  printf("FAILED: went on after abort\n");
  return 1;
}
