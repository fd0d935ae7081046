// A program for a race detector: races free|found. Tasks whose dependences order them, and, if
// asked, two that nothing orders.
#include <sched.h>
#include <stdio.h>
#include <string.h>

int main(int count, char** words) {
  const int races = count > 1 && strcmp(words[1], "found") == 0;
  long chain = 0, all = 0, parts[64] = {0};
  int begun = 0, ended = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 64; ++i) {
#pragma omp task depend(inout : chain) shared(chain)
      chain += i;
#pragma omp task shared(parts)
      parts[i] = i;
    }
#pragma omp taskwait
    for (int i = 0; i < 64; ++i) all += parts[i];
#pragma omp taskgroup
    {
#pragma omp task shared(all)
      all += 1;
    }
    all += 1;
    for (int i = 0; races && i < 2; ++i) {
#pragma omp task shared(all, begun, ended)
      {
        // On two threads, and one after the other, but with nothing that a detector could take for
        // an order: of two accesses at the very same time Clang's sees neither at times.
        const int others = __atomic_fetch_add(&begun, 1, __ATOMIC_RELAXED);
        while (__atomic_load_n(&begun, __ATOMIC_RELAXED) < 2) sched_yield();
        while (__atomic_load_n(&ended, __ATOMIC_RELAXED) < others) sched_yield();
        *(volatile long*)&all += 1;
        __atomic_fetch_add(&ended, 1, __ATOMIC_RELAXED);
      }
    }
  }
  printf("%ld %d\n", chain, all > 0);
  return 0;
}
