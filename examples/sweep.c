// The program of docs/tutorial.md: sweeps over the blocks of an array, a task for each block.
//
//   cc -O2 -fopenmp sweep.c -o sweep               the tasks do not say what they use
//   cc -O2 -fopenmp -DNAMED sweep.c -o named       each names its block
//
// sweep [SWEEPS] prints the time of a sweep; exit status 1 if the result is wrong, 2 if the
// argument is.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { blocks = 40, doubles = 8192, most_sweeps = 1000000 };

static void scale(double* block, double by) {
  for (int i = 0; i < doubles; ++i) block[i] = block[i] * by + 1.0;
}

int main(int argc, char** argv) {
  char* end = NULL;
  const long sweeps = argc > 1 ? strtol(argv[1], &end, 10) : 2000;
  if (sweeps < 60 || sweeps > most_sweeps || (end != NULL && *end != '\0')) {
    fprintf(stderr, "sweep: SWEEPS '%s' is not a number from 60 to %d\n", argv[1], most_sweeps);
    return 2;
  }
  double* data = aligned_alloc(4096, sizeof(double) * blocks * doubles);
  for (int i = 0; i < blocks * doubles; ++i) data[i] = i;
  const double start = omp_get_wtime();
#pragma omp parallel
#pragma omp single
  for (long s = 0; s < sweeps; ++s) {
    for (int b = 0; b < blocks; ++b) {
      double* block = data + (s % 2 == 0 ? b : blocks - 1 - b) * doubles;
#ifdef NAMED
#pragma omp task depend(inout : block[0 : doubles])
#else
#pragma omp task
#endif
      scale(block, 0.5);
    }
#pragma omp taskwait
  }
  const double seconds = omp_get_wtime() - start;
  // Every value goes to 2, whatever it was, in sixty sweeps at most.
  long wrong = 0;
  for (int i = 0; i < blocks * doubles; ++i) wrong += data[i] != 2.0;
  printf("%.1f microseconds a sweep\n", seconds / (double)sweeps * 1e6);
  free(data);
  return wrong != 0;
}
