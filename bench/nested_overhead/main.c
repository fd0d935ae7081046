// Overheads of OpenMP constructs inside of nested parallel regions, after Schmidl 2016, 2.2.2, who
// surrounds EPCC's microbenchmarks by an outer parallel region.
//
//   nested_overhead [outer=N] [inner=N] [samples=N] [ms=N] [spoil=1]
//
// Each of the outer threads runs the construct again and again with an inner team, at the same time
// as the others; a sample lasts N ms at least. The overhead is the time of one repetition less that
// of the same delay without the construct, as the mean of the outer threads. One JSON line tells
// the samples' median, least and most, in microseconds.
//
// Exit status 1 if a construct did not run its body as often as it should, 2 if the arguments are
// wrong.
#include "nested_overhead.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  long outer, inner, samples, ms, spoil;
} Options;

enum { most_samples = 1000 };

// Of one construct; `each` has a field for each outer thread.
typedef struct {
  long reps;
  double each[most_outer];
  double whole[most_samples];  // seconds of a repetition, mean of the outer threads
} Samples;

static void refuse(const char* key, const char* value, long least, long most) {
  fprintf(stderr, "nested_overhead: %s=%s is not a whole number from %ld to %ld\n", key, value,
          least, most);
  exit(2);
}

static void read_setting(const char* word, Options* o) {
  const struct {
    const char* key;
    long* value;
    long least, most;
  } known[] = {{"outer", &o->outer, 1, most_outer},
               {"inner", &o->inner, 1, most_inner},
               {"samples", &o->samples, 1, most_samples},
               {"ms", &o->ms, 1, 10000},
               {"spoil", &o->spoil, 0, 1}};
  const char* equals = strchr(word, '=');
  const size_t length = equals == NULL ? 0 : (size_t)(equals - word);
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
    const char* key = known[i].key;
    if (length != strlen(key) || strncmp(word, key, length) != 0) continue;
    char* end = NULL;
    const char* value = word + length + 1;
    *known[i].value = strtol(value, &end, 10);
    if (*value == '\0' || *end != '\0' || *known[i].value < known[i].least ||
        *known[i].value > known[i].most) {
      refuse(key, value, known[i].least, known[i].most);
    }
    return;
  }
  fprintf(stderr, "nested_overhead: '%s' is none of outer=, inner=, samples=, ms=, spoil=\n", word);
  exit(2);
}

static Counts* make_counts(const Options* o) {
  Counts* all = calloc((size_t)o->outer, sizeof *all);
  for (long t = 0; all != NULL && t < o->outer; ++t) {
    all[t].inner = (int)o->inner;
    all[t].counts = aligned_alloc(64, (size_t)o->inner * line_longs * sizeof(long));
  }
  return all;
}

static long sum_of(const Counts* c) {
  long sum = 0;
  for (int member = 0; member < c->inner; ++member) sum += c->counts[member * line_longs];
  return sum;
}

// All outer threads at once; the mean of their seconds, the same for each caller.
static double one_sample(Run* run, const Counts* c, Samples* s) {
  const int team = omp_get_thread_num(), teams = omp_get_num_threads();
  memset(c->counts, 0, (size_t)c->inner * line_longs * sizeof(long));
#pragma omp barrier
  const double start = seconds_now();
  run(c, s->reps);
  s->each[team] = seconds_now() - start;
#pragma omp barrier
  double sum = 0;
  for (int t = 0; t < teams; ++t) sum += s->each[t];
#pragma omp barrier
  return sum / teams;
}

// The least of a few: threads that start, or whom the system disturbed, would end the search early.
static double shortest_sample(Run* run, const Counts* c, Samples* s) {
  double least = one_sample(run, c, s);
  for (int attempt = 0; attempt < 2; ++attempt) {
    const double seconds = one_sample(run, c, s);
    if (seconds < least) least = seconds;
  }
  return least;
}

// Doubles the repetitions until a sample is long enough.
static void find_reps(const Options* o, Run* run, const Counts* c, Samples* s) {
#pragma omp single
  s->reps = 1;
  while (shortest_sample(run, c, s) < 1e-3 * (double)o->ms && s->reps < 1L << 30) {
#pragma omp barrier
#pragma omp single
    s->reps *= 2;
  }
}

static void run_samples(const Options* o, Run* run, const Counts* c, Samples* s) {
  find_reps(o, run, c, s);
  for (long i = 0; i < o->samples; ++i) {
    const double seconds = one_sample(run, c, s);
#pragma omp single
    s->whole[i] = seconds / (double)s->reps;
  }
}

// Whether the last sample ran its body as often as it should. For one outer thread.
static long count_wrong(const Options* o, const Construct* construct, const Counts* c,
                        const Samples* s) {
  const long right = construct->once ? s->reps : s->reps * o->inner;
  return sum_of(c) + o->spoil != right;
}

static int compare(const void* left, const void* right) {
  const double a = *(const double*)left, b = *(const double*)right;
  return (a > b) - (a < b);
}

static double median_of(Samples* s, long samples) {
  qsort(s->whole, (size_t)samples, sizeof *s->whole, compare);
  return s->whole[samples / 2];
}

static void print_row(const char* name, Samples* s, double reference, long samples, int first) {
  const double median = median_of(s, samples);
  printf("%s{\"name\":\"%s\",\"reps\":%ld,\"us\":%.6f,", first ? "" : ",", name, s->reps,
         1e6 * median);
  printf("\"overhead\":{\"median\":%.6f,\"least\":%.6f,\"most\":%.6f}}", 1e6 * (median - reference),
         1e6 * (s->whole[0] - reference), 1e6 * (s->whole[samples - 1] - reference));
}

// Fewer threads than asked for would be another measurement.
static void check_threads(const Options* o) {
  int got = 0;
  const int teams = omp_get_num_threads();
#pragma omp parallel num_threads((int)o->inner)
#pragma omp single
  got = omp_get_num_threads();
  if (got == o->inner && teams == o->outer) return;
#pragma omp critical
  {
    fprintf(stderr, "nested_overhead: the runtime gave %d x %d of %ld x %ld threads\n", teams, got,
            o->outer, o->inner);
    exit(1);
  }
}

// The whole benchmark, by each outer thread.
static void measure(const Options* o, Counts* counts, Samples* s, long* wrong) {
  const Counts* own = &counts[omp_get_thread_num()];
  static double reference;
  check_threads(o);
#pragma omp barrier
#pragma omp single
  printf("{\"kind\":\"overheads\",\"outer\":%ld,\"inner\":%ld,\"samples\":%ld,\"rows\":[", o->outer,
         o->inner, o->samples);
  run_samples(o, run_reference, own, s);
#pragma omp single
  reference = median_of(s, o->samples);
  for (int i = 0; i < construct_count; ++i) {
    run_samples(o, constructs[i].run, own, s);
    const long bad = count_wrong(o, &constructs[i], own, s);
#pragma omp atomic
    *wrong += bad;
#pragma omp single
    print_row(constructs[i].name, s, reference, o->samples, i == 0);
  }
#pragma omp single
  printf("],\"reference\":%.6f,", 1e6 * reference);
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "--help") == 0) {
    puts(
        "nested_overhead [outer=N] [inner=N] [samples=N] [ms=N] [spoil=1]\n"
        "for example: nested_overhead outer=2 inner=2");
    return 0;
  }
  Options o = {.outer = 2, .inner = 2, .samples = 20, .ms = 1};
  for (int i = 1; i < argc; ++i) {
    // Each bench program is told the domains; these threads have no data.
    if (strncmp(argv[i], "domains=", 8) != 0) read_setting(argv[i], &o);
  }
  omp_set_max_active_levels(2);
  omp_set_dynamic(0);
  calibrate_delay();
  Counts* counts = make_counts(&o);
  static Samples samples;
  long wrong = 0;
#pragma omp parallel num_threads((int)o.outer)
  measure(&o, counts, &samples, &wrong);
  printf("\"wrong\":%ld}\n", wrong);
  return wrong == 0 ? 0 : 1;
}
