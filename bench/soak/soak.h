// Random task programs with known results: what a long run checks Lares with.
#ifndef LARES_BENCH_SOAK_SOAK_H
#define LARES_BENCH_SOAK_SOAK_H

#include <omp.h>
#include <stdint.h>

// A small generator of random numbers, so that a seed repeats a program on any machine.
typedef struct {
  uint64_t state;
} Random;

// Spreads the bits of x over all bits of the result.
static inline uint64_t mix(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
  return x ^ x >> 31;
}

static inline uint64_t next_random(Random* random) {
  return mix(random->state += 0x9e3779b97f4a7c15ULL);
}

// A number from 0 to limit - 1.
static inline int random_below(Random* random, int limit) {
  return (int)(next_random(random) % (uint64_t)limit);
}

// The phases. Each runs parallel regions of its own and answers 1 if the result is right.
int phase_graph(Random* random);           // dependences of all kinds, one thread creates
int phase_graph_each(Random* random);      // the same, every thread creates a graph of its own
int phase_tree(Random* random);            // recursion: taskwait, taskgroup, untied, final
int phase_yield(Random* random);           // recursion with taskyield
int phase_taskloop(Random* random);        // random grains, with reductions
int phase_task_reduction(Random* random);  // task_reduction and in_reduction
int phase_loops(Random* random);           // dynamic and guided loops whose bodies create tasks
int phase_flood(Random* random);           // more tasks than any queue holds
int phase_nested(Random* random);          // parallel regions inside parallel regions, with tasks
int phase_cancel(Random* random);          // taskgroups that are cancelled, where that is enabled
int phase_elsewhere(Random* random);       // events that a thread outside of OpenMP fulfils

// Leaves the event to a thread that OpenMP does not know, which fulfils it soon.
void fulfill_elsewhere(omp_event_handle_t event);

#endif
