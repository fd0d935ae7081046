// What task_makers.c loads.
void make_tasks(int* sums, int count) {
  for (int i = 0; i < count; ++i) {
#pragma omp task firstprivate(i)
    sums[i] = i * i;
  }
#pragma omp taskwait
}
