// Overheads of OpenMP constructs inside of nested parallel regions: what the parts share.
#pragma once

enum { most_outer = 1024, most_inner = 8192, line_longs = 64 / sizeof(long) };

// What one outer thread's inner team counts: a line for each member, added to by that member only.
typedef struct {
  int inner;
  long* counts;
} Counts;

static inline void count_one(const Counts* c, int member) { c->counts[member * line_longs] += 1; }

// Runs a construct `reps` times with a delay in it. For an outer thread, with its own counts.
typedef void Run(const Counts* c, long reps);

typedef struct {
  const char* name;
  Run* run;
  int once;  // one member works in each repetition; else all do
} Construct;

extern const Construct constructs[];
extern const int construct_count;

// The same delays without a construct.
void run_reference(const Counts* c, long reps);

// A tenth of a microsecond or so that no compiler leaves out.
void delay(void);
// Sets its length from the clock. Once, before all else.
void calibrate_delay(void);

double seconds_now(void);
