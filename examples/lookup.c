/* Look-ups in a table by random keys: what a transposition table, a model's weights or a cross
   section's grid are. Every thread reads all of it, so no placement of one copy is near to all.

       lookup [plain|copies] [MiB] [look-ups of a thread in thousands]

   Defaults: plain, 32, 2000. One thread writes the table. With `copies` each memory has its own
   (lares_replicate), and each thread asks once for the nearest. Half-way the table changes, which
   lares_refresh tells the copies. Build: gcc -fopenmp lookup.c -llares. Prints the sum that all
   threads found, which must be what the keys say, and the time of the look-ups. */
#include <lares/lab.h>
#include <lares/memory.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the table holds at `key`, in its first and its second state. */
static uint64_t entry(uint64_t key, int state) {
  return (key * 0x9e3779b97f4a7c15U >> 40) + (uint64_t)state;
}

static void fill(uint64_t* table, size_t size, int state) {
  for (size_t i = 0; i < size; ++i) table[i] = entry(i, state);
}

/* A xorshift generator: the next number after `x`. */
static uint64_t next(uint64_t x) {
  x ^= x << 13;
  x ^= x >> 7;
  return x ^ (x << 17);
}

/* Look-ups of all threads; `wrong` counts those that found something else than there is. */
static uint64_t look_up(const uint64_t* table, size_t size, long count, int state, long* wrong) {
  uint64_t sum = 0;
  long errors = 0;
#pragma omp parallel reduction(+ : sum, errors)
  {
    const uint64_t* nearest = lares_local(table);
    uint64_t random = 1 + (uint64_t)omp_get_thread_num();
    for (long i = 0; i < count; ++i) {
      random = next(random);
      const uint64_t key = random % size;
      sum += nearest[key];
      errors += nearest[key] != entry(key, state);
    }
  }
  *wrong += errors;
  return sum;
}

int main(int argc, char** argv) {
  const int copies = argc > 1 && strcmp(argv[1], "copies") == 0;
  const long mib = argc > 2 ? atol(argv[2]) : 32;
  const long count = (argc > 3 ? atol(argv[3]) : 2000) * 1000;
  if (mib < 1 || mib > 1L << 20 || count < 1000) {
    fprintf(stderr, "lookup: give plain or copies, MiB from 1, and thousands of look-ups from 1\n");
    return 2;
  }
  const size_t bytes = (size_t)mib << 20;
  const size_t size = bytes / sizeof(uint64_t);
  uint64_t* table = lares_alloc(bytes, NULL, 0);
  if (table == NULL) {
    fprintf(stderr, "lookup: no memory for %ld MiB\n", mib);
    return 1;
  }
  fill(table, size, 0);
  const int made = copies ? lares_replicate(table, bytes) : 0;
  long wrong = 0;
  uint64_t sum = 0;
  double seconds = 0;
  for (int state = 0; state < 2; ++state) {
    if (state == 1) fill(table, size, state);
    if (state == 1 && copies) lares_refresh(table, bytes);
    lares_lab_region_begin("look-ups");
    const double start = omp_get_wtime();
    sum += look_up(table, size, count, state, &wrong);
    seconds += omp_get_wtime() - start;
    lares_lab_region_end("look-ups");
  }
  printf("copies=%d sum=%llu seconds=%.4f wrong=%ld result=%s\n", made, (unsigned long long)sum,
         seconds, wrong, wrong == 0 ? "ok" : "WRONG");
  lares_free(table);
  return wrong == 0 ? 0 : 1;
}
