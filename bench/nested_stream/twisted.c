// Twisted-STREAM: triads over a team's own vectors, then over those of the next team.
#include "nested_stream.h"

#include <omp.h>

// Each phase has its own, so that its result tells that it was this one.
static double factor_of(int phase) { return phase == 1 ? 3 : 5; }

static int next_of(const Options* o, int team) { return (team + 1) % (int)o->teams; }

// Of mixed data one that is read stays; one that is read and the one that is written do not.
Vectors twisted_vectors(const Options* o, const Team* teams, int team) {
  Vectors used = teams[next_of(o, team)].own;
  if (o->data == data_mixed) used.c = teams[team].own.c;
  return used;
}

static void note_homes(const Options* o, Team* teams, int team, int phase, int member, Piece p) {
  const double bytes = (double)(sizeof(double) * (p.end - p.begin));
  const int own = teams[team].homes[member];
  const int used = phase == 1 ? own : teams[next_of(o, team)].homes[member];
  const int stays = phase == 2 && o->data == data_mixed;
  note_place(o, &teams[team], used, (stays ? 2 : 3) * bytes);
  if (!stays) return;
#pragma omp atomic
  teams[team].bytes += bytes;
  if (own != own_domain(&o->domains)) return;
#pragma omp atomic
  teams[team].local += bytes;
}

static void one_triad(const Options* o, Team* teams, int team, int phase, int first) {
  const Vectors used = phase == 1 ? teams[team].own : twisted_vectors(o, teams, team);
#pragma omp parallel num_threads((int)o->inner)
  {
    const int member = omp_get_thread_num(), members = omp_get_num_threads();
    note_members(&teams[team], members);
    const Piece p = piece_of(used.count, member, members);
    if (first && phase == 2) tell_piece_of_phase(o, &used, p);
    run_triad(&used, factor_of(phase), p);
    note_homes(o, teams, team, phase, member, p);
#pragma omp atomic
    teams[team].triads += (long)(p.end - p.begin);
  }
}

void run_phase(const Options* o, Team* teams, int team, int phase) {
  const long passes = phase == 1 ? o->times : o->passes;
  teams[team].triads = 0;
  const double start = seconds_now();
  if (phase == 2) {
    const Vectors used = twisted_vectors(o, teams, team);
    tell_twisted(o, &teams[team], &used);
  }
  for (long pass = 0; pass < passes; ++pass) {
    const double before = seconds_now();
    one_triad(o, teams, team, phase, pass == 0);
    note_time(&teams[team].times[kernel_triad], seconds_now() - before);
  }
  teams[team].seconds = seconds_now() - start;
}

void check_phase(const Options* o, Team* teams, int team, int phase) {
  const long passes = phase == 1 ? o->times : o->passes;
  const Vectors used = phase == 1 ? teams[team].own : twisted_vectors(o, teams, team);
  const int of_b = phase == 1 ? team : next_of(o, team);
  const int of_c = phase == 2 && o->data == data_mixed ? team : of_b;
  const Piece all = {0, used.count};
  teams[team].wrong += wrong_after_triad(&used, of_b, of_c, factor_of(phase), all);
  teams[team].wrong += teams[team].triads != passes * (long)used.count;
}
