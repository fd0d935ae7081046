/* Unpacks records and counts in them what their values have in common:

     records [steps] [records]      steps: a word of the letter t

   t   the task unpacks its record itself, rather than the thread that makes the tasks

   docs/tuning.md tunes it. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { values = 4096 };

typedef struct {
  uint32_t value[values];
} record;

/* Each value follows from the one before: nobody can begin in the middle. */
static void unpack(record* r, uint32_t seed) {
  uint32_t state = seed * 2654435761U + 1;
  for (int i = 0; i < values; ++i) {
    for (int round = 0; round < 8; ++round) {
      state ^= state << 13U;
      state ^= state >> 17U;
      state ^= state << 5U;
    }
    r->value[i] = state;
  }
}

static long matches(const record* r) {
  long found = 0;
  for (int i = 0; i + 8 < values; ++i) {
    for (int j = 1; j <= 8; ++j) found += ((r->value[i] ^ r->value[i + j]) & 0xfU) == 0;
  }
  return found;
}

int main(int argc, char** argv) {
  const int in_task = argc > 1 && strchr(argv[1], 't') != NULL;
  const int records = argc > 2 ? atoi(argv[2]) : 2000;
  if (records < 1) {
    fprintf(stderr, "usage: records [steps] [records]\n");
    return 2;
  }
  record* const all = malloc((size_t)records * sizeof(record));
  long* const found = malloc((size_t)records * sizeof(long));
  if (all == NULL || found == NULL) {
    fprintf(stderr, "records: no memory\n");
    return 1;
  }
  const double begin = omp_get_wtime();
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < records; ++i) {
    if (!in_task) unpack(&all[i], (uint32_t)i);
#pragma omp task depend(inout : all[i])
    {
      if (in_task) unpack(&all[i], (uint32_t)i);
      found[i] = matches(&all[i]);
    }
  }
  const double seconds = omp_get_wtime() - begin;
  long sum = 0;
  for (int i = 0; i < records; ++i) sum += found[i];
  printf("records=%d seconds=%.6f matches=%ld\n", records, seconds, sum);
  return 0;
}
