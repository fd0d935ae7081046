// Imbalanced-STREAM: two threads a core, and teams whose threads go over their pieces more or less
// often.
#include "nested_stream.h"

#include <omp.h>

long load_of(const Options* o, long team) {
  const long skipped = o->load_count > o->teams ? o->load_count - o->teams : 0;
  return o->loads[(skipped + team) % o->load_count];
}

static void all_passes(const Options* o, Team* team, int member, Piece p) {
  const double bytes = 10 * sizeof(double) * (double)(p.end - p.begin);
  tell_piece(o, &team->own, p);
  for (long left = load_of(o, team->number); left > 0; --left) {
    tell_load(o, left);
    for (Kernel kernel = kernel_copy; kernel < kernel_count; ++kernel) {
      run_kernel(kernel, &team->own, p);
    }
    note_place(o, team, team->homes[member], bytes);
  }
}

void run_imbalanced(const Options* o, Team* team) {
  const double start = seconds_now();
#pragma omp parallel num_threads((int)o->inner)
  {
    const int member = omp_get_thread_num(), members = omp_get_num_threads();
    note_members(team, members);
    all_passes(o, team, member, piece_of(team->own.count, member, members));
  }
  team->seconds = seconds_now() - start;
}

void check_imbalanced(const Options* o, Team* team) {
  const Piece all = {0, team->own.count};
  team->wrong += wrong_after_passes(&team->own, team->number, load_of(o, team->number), all);
}
