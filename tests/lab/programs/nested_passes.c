// Twisted-STREAM of Broquedis et al. 2010, 5.4, in memory from malloc and without a word to Lares:
// teams that go over their own data, and then over another team's.
//
// nested_passes SHAPE [TEAMS [INNER [MIB [EARLY [LATE]]]]]: each of TEAMS teams of INNER threads
// writes MIB of doubles first and goes over them EARLY times, x = x / 2 + 1, in an inner region for
// each pass: the region "early". Then it goes LATE times, in "late", over
//   remote    the next team's
//   local     its own
// Prints whether every number is what it must be.
#include <lares/lab.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_teams = 64 };

static double* data[most_teams];
static size_t count;
static int inner, teams;

static double first_value(int team, size_t i) { return (double)(i % 1000) + 1000 * team; }

static void update(double* from, size_t length) {
  for (size_t i = 0; i < length; ++i) from[i] = from[i] / 2 + 1;
}

static void write_first(int team) {
#pragma omp parallel num_threads(inner)
  {
    const size_t thread = (size_t)omp_get_thread_num(), threads = (size_t)omp_get_num_threads();
    for (size_t i = count * thread / threads; i < count * (thread + 1) / threads; ++i) {
      data[team][i] = first_value(team, i);
    }
  }
}

static void pass(double* all) {
#pragma omp parallel num_threads(inner)
  {
    const size_t thread = (size_t)omp_get_thread_num(), threads = (size_t)omp_get_num_threads();
    const size_t from = count * thread / threads;
    update(all + from, count * (thread + 1) / threads - from);
  }
}

// By each team's outer thread.
static void go_over(const char* region, int whose, int passes) {
  if (omp_get_thread_num() == 0) lares_lab_region_begin(region);
#pragma omp barrier
  for (int i = 0; i < passes; ++i) pass(data[whose]);
#pragma omp barrier
  if (omp_get_thread_num() == 0) lares_lab_region_end(region);
}

static const char* judge(int passes) {
  for (int team = 0; team < teams; ++team) {
    for (size_t i = 0; i < count; ++i) {
      double x = first_value(team, i);
      for (int s = 0; s < passes; ++s) x = x / 2 + 1;
      if (data[team][i] != x) return "wrong";
    }
  }
  return "ok";
}

static int number(int argc, char** argv, int at, int otherwise) {
  return argc > at ? atoi(argv[at]) : otherwise;
}

int main(int argc, char** argv) {
  const int remote = argc < 2 || strcmp(argv[1], "local") != 0;
  teams = number(argc, argv, 2, 4);
  inner = number(argc, argv, 3, 2);
  count = (size_t)number(argc, argv, 4, 2) * 1024 * 1024 / sizeof(double);
  const int early = number(argc, argv, 5, 4);
  const int late = number(argc, argv, 6, 24);
  if (teams < 1 || teams > most_teams) return 2;
  for (int team = 0; team < teams; ++team) {
    data[team] = malloc(count * sizeof(double));
    if (data[team] == NULL) return 1;
  }
  omp_set_max_active_levels(2);
  omp_set_dynamic(0);
#pragma omp parallel num_threads(teams)
  {
    const int team = omp_get_thread_num();
    write_first(team);
    go_over("early", team, early);
    go_over("late", remote ? (team + 1) % teams : team, late);
  }
  printf("result=%s\n", judge(early + late));
  return 0;
}
