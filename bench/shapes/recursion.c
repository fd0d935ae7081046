// A merge sort by recursion, its merges too. One thread fills the array, and the leaves give all
// keys new values before they sort them, so that each sweep has the same to do.
#include <stdint.h>
#include <stdlib.h>

#include "shapes.h"

static uint32_t *keys, *room;
static long n, grain;

// One to one: distinct keys stay distinct.
static uint32_t mixed(uint32_t key) {
  key ^= key >> 16;
  key *= 0x7feb352dU;
  key ^= key >> 15;
  key *= 0x846ca68bU;
  return key ^ (key >> 16);
}

static uint32_t start_of(long i) { return mixed((uint32_t)i + 1); }

static void start(Sizes sizes) {
  n = sizes.n;
  grain = sizes.grain;
  keys = allocate((size_t)n * sizeof *keys);
  room = allocate((size_t)n * sizeof *room);
  for (long i = 0; i < n; ++i) keys[i] = start_of(i);
}

static void merge_here(const uint32_t* a, long na, const uint32_t* b, long nb, uint32_t* to) {
  while (na > 0 && nb > 0) {
    if (*a <= *b) {
      *to++ = *a++;
      --na;
    } else {
      *to++ = *b++;
      --nb;
    }
  }
  for (; na > 0; --na) *to++ = *a++;
  for (; nb > 0; --nb) *to++ = *b++;
}

// How many of the sorted keys are below `key`.
static long below(const uint32_t* a, long na, uint32_t key) {
  long low = 0, high = na;
  while (low < high) {
    const long middle = low + (high - low) / 2;
    if (a[middle] < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static void merge(const uint32_t* a, long na, const uint32_t* b, long nb, uint32_t* to) {
  if (na + nb <= grain) {
    merge_here(a, na, b, nb, to);
    return;
  }
  if (na < nb) {
    merge(b, nb, a, na, to);
    return;
  }
  const long cut_a = na / 2;
  const long cut_b = below(b, nb, a[cut_a]);
#pragma omp task
  merge(a, cut_a, b, cut_b, to);
#pragma omp task
  merge(a + cut_a, na - cut_a, b + cut_b, nb - cut_b, to + cut_a + cut_b);
#pragma omp taskwait
}

static void insert(uint32_t* a, long count) {
  for (long i = 1; i < count; ++i) {
    const uint32_t key = a[i];
    long at = i;
    for (; at > 0 && a[at - 1] > key; --at) a[at] = a[at - 1];
    a[at] = key;
  }
}

// Sorts a[0..count), with the same part of the other array as room; the result is in `a`, or in
// `other` if `across`.
static void sort_here(uint32_t* a, uint32_t* other, long count, int across) {
  enum { few = 16 };
  if (count <= few) {
    insert(a, count);
    if (across) merge_here(a, count, NULL, 0, other);
    return;
  }
  const long half = count / 2;
  sort_here(a, other, half, !across);
  sort_here(a + half, other + half, count - half, !across);
  const uint32_t* from = across ? a : other;
  merge_here(from, half, from + half, count - half, across ? other : a);
}

static void sort(uint32_t* a, uint32_t* other, long count, int across) {
  if (count <= grain) {
    for (long i = 0; i < count; ++i) a[i] = mixed(a[i]);
    sort_here(a, other, count, across);
    return;
  }
  const long half = count / 2;
#pragma omp task
  sort(a, other, half, !across);
#pragma omp task
  sort(a + half, other + half, count - half, !across);
#pragma omp taskwait
  const uint32_t* from = across ? a : other;
  merge(from, half, from + half, count - half, across ? other : a);
}

static void sweep(int first, int end) {
  for (int s = first; s < end; ++s) {
#pragma omp parallel
#pragma omp single nowait
    sort(keys, room, n, 0);
  }
}

static long wrong(int sweeps) {
  uint64_t sum = 0, squares = 0, sum_found = 0, squares_found = 0;
  long count = 0;
  for (long i = 0; i < n; ++i) {
    uint32_t key = start_of(i);
    for (int s = 0; s < sweeps; ++s) key = mixed(key);
    sum += key;
    squares += (uint64_t)key * key;
    sum_found += keys[i];
    squares_found += (uint64_t)keys[i] * keys[i];
    count += i > 0 && keys[i - 1] >= keys[i];
  }
  return count + (sum != sum_found) + (squares != squares_found);
}

static void finish(void) {
  free(keys);
  free(room);
}

const Shape shape_recursion = {"recursion", {1 << 20, 8192}, 0, start, sweep, wrong, finish};
