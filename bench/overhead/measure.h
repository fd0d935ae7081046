// Times the rows of the overhead benchmark: what all its programs share, in C and in C++.
#ifndef LARES_BENCH_OVERHEAD_MEASURE_H
#define LARES_BENCH_OVERHEAD_MEASURE_H

#ifdef __cplusplus
extern "C" {
#endif

// Does at least one and about `operations` operations. Answers how many it did, or -1 if the
// tasks computed something wrong.
typedef long (*RowBody)(long operations);

// A row always does the same work, whatever runtime it runs on: runtimes that throttle or whose
// tables grow do not cost the same for each number of tasks.
typedef struct {
  const char* name;
  RowBody body;
  long operations;  // of one batch: some milliseconds of work on today's runtimes
} Row;

// Reads the command line of an overhead program, measures the rows that it names (all if it names
// none) and prints one line for each. Answers the exit status: 1 after a wrong result, 2 after a
// wrong argument.
int measure_rows(int argc, char** argv, const Row* rows, int count, int threads);

// Makes the compiler believe that `value` is needed, so that loops with empty bodies stay loops.
static inline void use(long value) { __asm__ volatile("" : : "r"(value)); }

#ifdef __cplusplus
}
#endif

#endif
