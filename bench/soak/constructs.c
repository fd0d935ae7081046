#include <omp.h>

#include "soak.h"

// A tree whose shape and values follow from its seed.
static int child_count(uint64_t seed, int depth) { return depth == 0 ? 0 : (int)(seed % 4); }

static uint64_t serial_tree(uint64_t seed, int depth) {
  uint64_t sum = mix(seed);
  for (int k = 0; k < child_count(seed, depth); ++k) {
    sum += serial_tree(mix(seed + (uint64_t)k + 1), depth - 1);
  }
  return sum;
}

static uint64_t tree(uint64_t seed, int depth);

static void create_children(uint64_t seed, int depth, uint64_t* sums) {
  for (int k = 0; k < child_count(seed, depth); ++k) {
    const uint64_t child = mix(seed + (uint64_t)k + 1);
    uint64_t* sum = &sums[k];
    if (child % 3 == 0) {
#pragma omp task untied
      *sum = tree(child, depth - 1);
    } else {
#pragma omp task final(child % 16 == 1) mergeable
      *sum = tree(child, depth - 1);
    }
  }
}

static uint64_t tree(uint64_t seed, int depth) {
  uint64_t sums[4] = {0};
  if (seed % 7 == 0) {
#pragma omp taskgroup
    create_children(seed, depth, sums);
  } else {
    create_children(seed, depth, sums);
#pragma omp taskwait
  }
  return mix(seed) + sums[0] + sums[1] + sums[2] + sums[3];
}

int phase_tree(Random* random) {
  const uint64_t seed = next_random(random) | 3;  // three children at the root
  const int depth = 4 + random_below(random, 12);
  uint64_t sum = 0;
#pragma omp parallel
#pragma omp single
  sum = tree(seed, depth);
  return sum == serial_tree(seed, depth);
}

// Not in the tree: libomp 19 hangs after a taskyield where tied and untied tasks mix.
static long yielding_sum(int depth) {
  long left = 0, right = 0;
  if (depth == 0) return 1;
#pragma omp task shared(left)
  left = yielding_sum(depth - 1);
#pragma omp taskyield
#pragma omp task shared(right)
  right = yielding_sum(depth - 1);
#pragma omp taskwait
  return left + right;
}

int phase_yield(Random* random) {
  const int depth = random_below(random, 12);
  long sum = 0;
#pragma omp parallel
#pragma omp single
  sum = yielding_sum(depth);
  return sum == 1L << depth;
}

int phase_taskloop(Random* random) {
  const long count = random_below(random, 20000);
  const int grain = 1 + random_below(random, 300), tasks = 1 + random_below(random, 300);
  const int grouped = random_below(random, 2);
  long by_grain = 0, by_tasks = 0, by_default = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(grain) reduction(+ : by_grain)
    for (long k = 0; k < count; ++k) by_grain += k;
#pragma omp taskloop num_tasks(tasks) reduction(+ : by_tasks) if (grouped)
    for (long k = count; k > 0; --k) by_tasks += k - 1;
#pragma omp taskloop nogroup shared(by_default)
    for (long k = 0; k < count; ++k) {
#pragma omp atomic
      by_default += k;
    }
  }
  const long expected = count * (count - 1) / 2;
  return by_grain == expected && by_tasks == expected && by_default == expected;
}

int phase_task_reduction(Random* random) {
  const long count = 1 + random_below(random, 3000);
  long sum = 0, largest = -1;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum) task_reduction(max : largest)
  for (long k = 0; k < count; ++k) {
#pragma omp task in_reduction(+ : sum) in_reduction(max : largest) firstprivate(k)
    {
      sum += k;
      if (k > largest) largest = k;
    }
  }
  return sum == count * (count - 1) / 2 && largest == count - 1;
}

static void count_in_task(long* counter, long amount) {
#pragma omp task firstprivate(counter, amount)
  {
#pragma omp atomic
    *counter += amount;
  }
}

int phase_loops(Random* random) {
  const long count = random_below(random, 4000);
  const int chunk = 1 + random_below(random, 9);
  long dynamic = 0, guided = 0, in_order = 0;
  int out_of_order = 0;
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, chunk) nowait
    for (long k = 0; k < count; ++k) count_in_task(&dynamic, k);
#pragma omp for schedule(guided)
    for (long k = count; k > 0; --k) count_in_task(&guided, k - 1);
#pragma omp for schedule(dynamic) ordered
    for (long k = 0; k < count / 8; ++k) {
#pragma omp ordered
      out_of_order |= in_order++ != k;
    }
  }
  const long expected = count * (count - 1) / 2;
  return dynamic == expected && guided == expected && in_order == count / 8 && !out_of_order;
}

int phase_flood(Random* random) {
  const long count = 1000 + random_below(random, 100000);
  const int every_thread = random_below(random, 2);
  long ran = 0;
  int producers = 1;
#pragma omp parallel
  {
#pragma omp single
    producers = every_thread ? omp_get_num_threads() : 1;
    if (omp_get_thread_num() < producers) {
      for (long k = 0; k < count / producers; ++k) count_in_task(&ran, 1);
    }
  }
  return ran == count / producers * producers;
}

int phase_nested(Random* random) {
  const int inner = 1 + random_below(random, 3), count = random_below(random, 200);
  const int levels = omp_get_max_active_levels();
  long ran = 0, outer = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel reduction(+ : outer)
  {
    ++outer;
#pragma omp parallel num_threads(inner)
#pragma omp single
    for (int k = 0; k < count; ++k) count_in_task(&ran, 1);
  }
  omp_set_max_active_levels(levels);
  return ran == outer * count;
}

int phase_cancel(Random* random) {
  const int count = 1 + random_below(random, 2000), stop = random_below(random, count);
  long ran = 0, after = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    for (int k = 0; k < count; ++k) {
#pragma omp task firstprivate(k)
      {
#pragma omp atomic
        ++ran;
        if (k == stop) {
#pragma omp cancel taskgroup
        }
      }
    }
    for (int k = 0; k < count; ++k) count_in_task(&after, 1);
  }
  return after == count && (omp_get_cancellation() ? ran >= 1 && ran <= count : ran == count);
}
