// An OpenMP program without a dynamic loader: nothing can be preloaded into it.
#include <stdio.h>

int main(void) {
  int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
  threads += 1;
  printf("%d\n", threads);
  return 0;
}
