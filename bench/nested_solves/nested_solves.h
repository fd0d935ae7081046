// Independent linear solves in nested parallel regions: what the parts share.
#pragma once

#include "domains.h"

#include <stddef.h>

enum { most_teams = 1024, most_members = 8192 };

typedef struct {
  long teams, inner, solves, side;
  int tell;   // 1: whose the vectors are
  int spoil;  // 1: one value is changed before each check
  Domains domains;
} Options;

// A cube with a layer of zeros around it.
typedef struct {
  long side;
  size_t row, plane;  // doubles from one line, and one layer, to the next
  size_t size;        // doubles in all
} Grid;

Grid grid_of(long side);

// The vectors of a team, which it uses for one solve after another: frequent allocations were what
// slowed the original down (Schmidl 2016, 6.3.1).
typedef struct {
  Grid grid;
  double *x, *b, *r, *p, *q;
  int members;              // threads that an inner region had at least
  long solved, iterations;  // by this team
  long wrong;
  double error;  // the largest difference to the known solution
  long ran_in[most_domains];
} Team;

void make_team(const Options* o, Team* team);

// A problem whose solution is known, from nothing, by conjugate gradients in regions of the inner
// team; then the check of its result. For the outer thread of a team.
void solve(const Options* o, Team* team, long problem);
