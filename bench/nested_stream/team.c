// A team at work on its own vectors: flat and Nested-STREAM.
#include "nested_stream.h"

#include <omp.h>
#include <time.h>

double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void note_members(Team* team, int members) {
  if (omp_get_thread_num() == 0 && (team->members == 0 || members < team->members)) {
    team->members = members;
  }
}

void note_place(const Options* o, Team* team, int home, double bytes) {
  const int here = own_domain(&o->domains);
#pragma omp atomic
  team->ran_in[here] += 1;
#pragma omp atomic
  team->bytes += bytes;
  if (here != home) return;
#pragma omp atomic
  team->local += bytes;
}

void note_time(Times* times, double seconds) {
  if (times->passes == 0 || seconds < times->least) times->least = seconds;
  if (seconds > times->most) times->most = seconds;
  times->sum += seconds;
  times->passes += 1;
}

void initialise(const Options* o, Team* team) {
#pragma omp parallel num_threads((int)o->inner)
  {
    const int member = omp_get_thread_num(), members = omp_get_num_threads();
    note_members(team, members);
    const Piece p = piece_of(team->own.count, member, members);
    write_first(&team->own, team->number, p);
    tell_home(o, &team->own, p);
    team->homes[member] = own_domain(&o->domains);
  }
}

// Copy and scale touch two vectors, add and triad three.
static double bytes_of(Kernel kernel, Piece p) {
  return (double)((kernel < kernel_add ? 2 : 3) * sizeof(double) * (p.end - p.begin));
}

static double one_pass(const Options* o, Team* team, Kernel kernel) {
  const double start = seconds_now();
#pragma omp parallel num_threads((int)o->inner)
  {
    const int member = omp_get_thread_num(), members = omp_get_num_threads();
    note_members(team, members);
    const Piece p = piece_of(team->own.count, member, members);
    run_kernel(kernel, &team->own, p);
    note_place(o, team, team->homes[member], bytes_of(kernel, p));
  }
  return seconds_now() - start;
}

void run_stream(const Options* o, Team* team) {
  const double start = seconds_now();
  for (long pass = 0; pass < o->times; ++pass) {
    for (Kernel kernel = kernel_copy; kernel < kernel_count; ++kernel) {
      const double seconds = one_pass(o, team, kernel);
      // As in STREAM the first pass warms up, unless it is the only one.
      if (pass > 0 || o->times == 1) note_time(&team->times[kernel], seconds);
    }
  }
  team->seconds = seconds_now() - start;
}

void check_stream(const Options* o, Team* team) {
  const Piece all = {0, team->own.count};
  team->wrong += wrong_after_passes(&team->own, team->number, o->times, all);
}
