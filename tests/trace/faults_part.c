/* A library with a region of its own, for programs of the same compiler and of another one. */
void part(int* sum);

void part(int* sum) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; ++i) {
#pragma omp task shared(sum)
    __atomic_fetch_add(sum, i, __ATOMIC_RELAXED);
  }
}
