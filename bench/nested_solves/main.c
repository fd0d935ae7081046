// Independent linear solves, each by an inner team: the shape of SHEMAT-Suite (Schmidl
// 2016, 6.3.1), whose outer level are directional derivatives.
//
//   nested_solves [teams=N] [inner=N] [solves=N] [side=N] [tell=none|threads] [spoil=1]
//                 [domains=LIST]
//
// N solves on a cube of SIDE^3 points, handed out one by one to N teams of N threads each. With one
// team there is no outer region: then all is flat. With inner=1 each solve is by one thread. LIST
// tells the domain of CPU 0, 1, ...; without it, the NUMA nodes are the domains. One JSON line.
//
// Exit status 1 if a solution is not the known one, 2 if the arguments are wrong. Inside `lares
// lab` the solves are a counted region.
#include "nested_solves.h"

#include <lares/lab.h>
#include <lares/lares.h>
#include <omp.h>
#include <string.h>
#include <time.h>

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void refuse(const char* key, const char* value, const char* accepted) {
  fprintf(stderr, "nested_solves: %s=%s is not %s\n", key, value, accepted);
  exit(2);
}

static long whole_number(const char* key, const char* value, long least, long most) {
  char* end = NULL;
  const long number = strtol(value, &end, 10);
  char accepted[64];
  snprintf(accepted, sizeof accepted, "a whole number from %ld to %ld", least, most);
  if (*value == '\0' || *end != '\0' || number < least || number > most) {
    refuse(key, value, accepted);
  }
  return number;
}

static void set(const char* key, const char* value, const char* word, Options* o) {
  if (strcmp(key, "teams") == 0) {
    o->teams = whole_number(key, value, 1, most_teams);
  } else if (strcmp(key, "inner") == 0) {
    o->inner = whole_number(key, value, 1, most_members);
  } else if (strcmp(key, "solves") == 0) {
    o->solves = whole_number(key, value, 1, 1000000);
  } else if (strcmp(key, "side") == 0) {
    o->side = whole_number(key, value, 2, 2000);
  } else if (strcmp(key, "tell") == 0) {
    o->tell = strcmp(value, "threads") == 0;
    if (!o->tell && strcmp(value, "none") != 0) refuse(key, value, "one of none, threads");
  } else if (strcmp(key, "spoil") == 0) {
    o->spoil = (int)whole_number(key, value, 0, 1);
  } else if (strcmp(key, "domains") == 0) {
    if (!read_domains(value, &o->domains)) refuse(key, value, domains_accepted);
  } else {
    fprintf(stderr,
            "nested_solves: '%s' is none of teams=, inner=, solves=, side=, tell=, spoil=, "
            "domains=\n",
            word);
    exit(2);
  }
}

static void read_setting(const char* word, Options* o) {
  char key[16] = "";
  const char* equals = strchr(word, '=');
  const size_t length = equals == NULL ? 0 : (size_t)(equals - word);
  if (length < sizeof key) memcpy(key, word, length);
  set(key, word + length + (equals != NULL), word, o);
}

static void tell_own(const Options* o, const Team* team) {
  if (!o->tell) return;
  double* const vectors[] = {team->x, team->b, team->r, team->p, team->q};
  for (int i = 0; i < 5; ++i) {
    lares_set_thread_affinity(vectors[i], team->grid.size * sizeof(double), LARES_SHAKE_NOT);
  }
  lares_set_memory_intensity(1);
}

// One team's share of all solves: whichever is next.
static void take_solves(const Options* o, Team* team) {
  tell_own(o, team);
#pragma omp for schedule(dynamic, 1)
  for (long problem = 0; problem < o->solves; ++problem) solve(o, team, problem);
}

static double run_all(const Options* o, Team* teams) {
  const double start = seconds_now();
  if (o->teams == 1) {
    tell_own(o, &teams[0]);
    for (long problem = 0; problem < o->solves; ++problem) solve(o, &teams[0], problem);
  } else {
#pragma omp parallel num_threads((int)o->teams)
    take_solves(o, &teams[omp_get_thread_num()]);
  }
  return seconds_now() - start;
}

static double share_together(const Team* team, long teams) {
  double most = 0, all = 0;
  for (long t = 0; t < teams; ++t) {
    long own = 0;
    for (int d = 0; d < most_domains; ++d) {
      if (team[t].ran_in[d] > own) own = team[t].ran_in[d];
      all += (double)team[t].ran_in[d];
    }
    most += (double)own;
  }
  return all > 0 ? most / all : 1;
}

// Gives how many solves are wrong or missing.
static long print_line(const Options* o, const Team* teams, double seconds) {
  long wrong = 0, solved = 0, iterations = 0;
  double error = 0;
  printf("{\"kind\":\"solves\",\"teams\":%ld,\"inner\":%ld,\"solves\":%ld,\"side\":%ld,", o->teams,
         o->inner, o->solves, o->side);
  printf("\"tell\":\"%s\",\"by_team\":[", o->tell ? "threads" : "none");
  for (long t = 0; t < o->teams; ++t) {
    printf("%s{\"threads\":%d,\"solved\":%ld}", t == 0 ? "" : ",", teams[t].members,
           teams[t].solved);
    wrong += teams[t].wrong;
    solved += teams[t].solved;
    iterations += teams[t].iterations;
    if (!(teams[t].error <= error)) error = teams[t].error;
  }
  wrong += labs(o->solves - solved);
  printf("],\"seconds\":%.9f,\"iterations\":%ld,\"together\":%.4f,", seconds, iterations,
         share_together(teams, o->teams));
  // JSON has no infinity.
  printf("\"error\":%g,\"wrong\":%ld}\n", error < 1e300 ? error : 1e300, wrong);
  return wrong;
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "--help") == 0) {
    puts(
        "nested_solves [teams=N] [inner=N] [solves=N] [side=N] [tell=none|threads] [spoil=1]\n"
        "              [domains=LIST]\n"
        "for example: nested_solves teams=2 inner=1 solves=8 side=64");
    return 0;
  }
  static Options o = {.teams = 2, .inner = 1, .solves = 8, .side = 64};
  for (int i = 1; i < argc; ++i) read_setting(argv[i], &o);
  omp_set_max_active_levels(2);
  omp_set_dynamic(0);
  Team* teams = fresh("nested_solves", (double)o.teams * sizeof *teams);
  for (long t = 0; t < o.teams; ++t) make_team(&o, &teams[t]);
  lares_lab_region_begin("solves");
  const double seconds = run_all(&o, teams);
  lares_lab_region_end("solves");
  return print_line(&o, teams, seconds) == 0 ? 0 : 1;
}
