// STREAM in flat and in nested parallel regions, after Broquedis et al. 2010 (ForestGOMP), 5.2 to
// 5.5.
//
//   nested_stream [kind=stream|nested|twisted|imbalanced] [teams=N] [inner=N] [mb=SIZE] [times=N]
//                 [passes=N] [data=remote|mixed] [loads=LIST]
//                 [tell=none|threads|next-touch|migrate|mixed] [spoil=1] [domains=LIST]
//
// Each of the outer region's threads is the first of an inner team that has three vectors of its
// own, of SIZE * 10^6 bytes each, and writes them first. LIST of domains tells the domain of CPU 0,
// 1, ...; without it, the NUMA nodes are the domains. One JSON line tells each team's rates and
// time, and in which domains its threads ran.
//
// Exit status 1 if a value is not exactly right, 2 if the arguments are wrong. Inside `lares lab`
// what is timed is a counted region.
#include "nested_stream.h"

#include <lares/lab.h>
#include <omp.h>
#include <string.h>

static const char* const regions[] = {"stream", "nested", "phase1", "imbalanced"};

static void show_help(void) {
  puts(
      "nested_stream [kind=stream|nested|twisted|imbalanced] [teams=N] [inner=N] [mb=SIZE]\n"
      "              [times=N] [passes=N] [data=remote|mixed] [loads=LIST]\n"
      "              [tell=none|threads|next-touch|migrate|mixed] [spoil=1] [domains=LIST]\n"
      "for example: nested_stream kind=twisted teams=2 inner=1 mb=32 passes=20 tell=next-touch");
}

static Team* make_teams(const Options* o) {
  Team* teams = fresh("nested_stream", (double)o->teams * sizeof *teams);
  for (long t = 0; t < o->teams; ++t) {
    teams[t].number = (int)t;
    make_vectors(&teams[t].own, o->mb);
    teams[t].homes = fresh("nested_stream", (double)o->inner * sizeof(int));
  }
  return teams;
}

static void run_part(const Options* o, Team* teams, int team) {
  if (o->kind == kind_twisted) {
    run_phase(o, teams, team, 1);
  } else if (o->kind == kind_imbalanced) {
    run_imbalanced(o, &teams[team]);
  } else {
    run_stream(o, &teams[team]);
  }
}

static void forget_phase(Team* team) {
  memset(team->times, 0, sizeof team->times);
  memset(team->ran_in, 0, sizeof team->ran_in);
  team->local = team->bytes = 0;
}

// One outer thread for each team; they are the same ones in all that follows.
static void check_outer(const Options* o) {
  if (omp_get_num_threads() == o->teams) return;
  if (omp_get_thread_num() == 0) {
    fprintf(stderr, "nested_stream: the runtime gave %d of %ld teams\n", omp_get_num_threads(),
            o->teams);
    exit(1);
  }
#pragma omp barrier  // the others wait for that
}

static double run_first(const Options* o, Team* teams, int team) {
  if (team == 0) lares_lab_region_begin(regions[o->kind]);
#pragma omp barrier
  const double start = seconds_now();
  run_part(o, teams, team);
#pragma omp barrier
  const double seconds = seconds_now() - start;
  if (team == 0) lares_lab_region_end(regions[o->kind]);
  return seconds;
}

static double run_second(const Options* o, Team* teams, int team) {
  if (team == 0) lares_lab_region_begin("phase2");
#pragma omp barrier
  const double start = seconds_now();
  run_phase(o, teams, team, 2);
#pragma omp barrier
  const double seconds = seconds_now() - start;
  if (team == 0) lares_lab_region_end("phase2");
  return seconds;
}

static void check(const Options* o, Team* teams, int phase) {
  for (int t = 0; t < (int)o->teams; ++t) {
    if (o->spoil && t == 0) teams[0].own.a[teams[0].own.count / 2] += 1;
    if (o->kind == kind_twisted) {
      check_phase(o, teams, t, phase);
    } else if (o->kind == kind_imbalanced) {
      check_imbalanced(o, &teams[t]);
    } else {
      check_stream(o, &teams[t]);
    }
  }
}

// Between the phases: what has been is checked and printed. For one thread.
static void end_phase_one(const Options* o, Team* teams, double seconds) {
  print_head(o, teams, seconds);
  print_phase(o, teams);
  check(o, teams, 1);
  for (long t = 0; t < o->teams; ++t) forget_phase(&teams[t]);
}

// All of one team's life, by its outer thread. `moved` is what changed its home since the first
// phase ended (of twisted), or since the vectors were written.
static void live(const Options* o, Team* teams, int team, double* moved) {
  static Homes before;
  initialise(o, &teams[team]);
  tell_own(o, &teams[team]);
#pragma omp barrier
  if (team == 0) before = homes_now(teams, o->teams);
  const double seconds = run_first(o, teams, team);
  if (team == 0) end_phase_one(o, teams, seconds);
  if (o->kind == kind_twisted) {
#pragma omp barrier
    const double second = run_second(o, teams, team);
    if (team == 0) {
      printf(",");
      print_phase(o, teams);
      printf("],\"seconds_of_phase_2\":%.9f,", second);
      check(o, teams, 2);
    }
  } else if (team == 0) {
    printf("],");
  }
  if (team == 0) {
    const Homes after = homes_now(teams, o->teams);
    *moved = bytes_that_moved(&before, &after);
  }
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "--help") == 0) {
    show_help();
    return 0;
  }
  static Options o = {
      .times = 10, .passes = 10, .mb = 32, .loads = {15, 15, 30, 1}, .load_count = 4};
  read_options(argc, argv, &o);
  omp_set_max_active_levels(2);
  omp_set_dynamic(0);
  Team* teams = make_teams(&o);
  double moved = 0;
  if (o.kind == kind_stream) {
    live(&o, teams, 0, &moved);
  } else {
#pragma omp parallel num_threads((int)o.teams)
    {
      check_outer(&o);
      live(&o, teams, omp_get_thread_num(), &moved);
    }
  }
  printf("\"moved_bytes\":%.0f,", moved);
  return print_end(&o, teams) == 0 ? 0 : 1;
}
