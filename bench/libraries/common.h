// What the programs here share: reading arguments, time, memory, and a generator whose numbers do
// not depend on who asks in which order.
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// A whole number from `least` to `most`, or exit status 2 with a sentence.
static inline long number_argument(const char* program, const char* what, const char* text,
                                   long least, long most) {
  char* end = NULL;
  const long value = strtol(text, &end, 10);
  if (*text == '\0' || *end != '\0' || value < least || value > most) {
    fprintf(stderr, "%s: %s '%s' is not a whole number from %ld to %ld\n", program, what, text,
            least, most);
    exit(2);
  }
  return value;
}

static inline void* allocate(size_t count, size_t bytes) {
  void* memory = calloc(count > 0 ? count : 1, bytes);
  if (memory == NULL) {
    fprintf(stderr, "no memory for %zu times %zu bytes\n", count, bytes);
    exit(1);
  }
  return memory;
}

static inline double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// In [0, 1), by two numbers: the same whatever was asked before.
static inline double random_at(uint64_t a, uint64_t b) {
  uint64_t bits = (a * 0x9e3779b97f4a7c15ULL) ^ (b + 0x7f4a7c159e3779b9ULL);
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9ULL;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111ebULL;
  bits ^= bits >> 31;
  return (double)(bits >> 11) * 0x1p-53;
}
