// Conjugate gradients for a seven-point operator. Each operation is a region of the inner team.
#include "nested_solves.h"

#include <math.h>
#include <omp.h>

enum { most_iterations = 10000 };

static const double residual_wanted = 1e-11;  // of the right side, both as sums of squares' roots
static const double error_allowed = 1e-7;

Grid grid_of(long side) {
  const size_t n = (size_t)side + 2;
  return (Grid){side, n, n * n, n * n * n};
}

void make_team(const Options* o, Team* team) {
  team->grid = grid_of(o->side);
  const double bytes = (double)(team->grid.size * sizeof(double));
  team->x = fresh("nested_solves", bytes);
  team->b = fresh("nested_solves", bytes);
  team->r = fresh("nested_solves", bytes);
  team->p = fresh("nested_solves", bytes);
  team->q = fresh("nested_solves", bytes);
}

// Problems differ as directional derivatives do: another diagonal, another right side.
static double diagonal_of(long problem) { return 6.05 + 0.05 * (double)(problem % 3); }

// Eighths, so that they are exact.
static double solution_at(long problem, long k, long j, long i) {
  return 1 + (double)((i + 2 * j + 3 * k + problem) % 11) / 8;
}

static double applied(const double* u, const Grid* g, double diagonal, size_t at) {
  return diagonal * u[at] - u[at - 1] - u[at + 1] - u[at - g->row] - u[at + g->row] -
         u[at - g->plane] - u[at + g->plane];
}

static size_t start_of(const Grid* g, long k, long j) {
  return (size_t)k * g->plane + (size_t)j * g->row;
}

static void note(const Options* o, Team* team) {
  const int members = omp_get_num_threads();
  if (omp_get_thread_num() == 0 && (team->members == 0 || members < team->members)) {
    team->members = members;
  }
  const int here = own_domain(&o->domains);
#pragma omp atomic
  team->ran_in[here] += 1;
}

// The solution goes into p, which the solver overwrites.
static void write_solution(const Options* o, Team* team, long problem) {
  const Grid* g = &team->grid;
#pragma omp parallel for num_threads((int)o->inner) schedule(static)
  for (long k = 1; k <= g->side; ++k) {
    for (long j = 1; j <= g->side; ++j) {
      const size_t line = start_of(g, k, j);
      for (long i = 1; i <= g->side; ++i) team->p[line + (size_t)i] = solution_at(problem, k, j, i);
    }
  }
}

// b of the solution in p; the first x is zero, so r is b. Gives the sum of b's squares.
static double set_up(const Options* o, Team* team, double diagonal) {
  const Grid* g = &team->grid;
  double sum = 0;
#pragma omp parallel for num_threads((int)o->inner) schedule(static) reduction(+ : sum)
  for (long k = 1; k <= g->side; ++k) {
    for (long j = 1; j <= g->side; ++j) {
      const size_t line = start_of(g, k, j);
      for (size_t at = line + 1; at <= line + (size_t)g->side; ++at) {
        team->b[at] = applied(team->p, g, diagonal, at);
        team->x[at] = 0;
        team->r[at] = team->b[at];
        sum += team->b[at] * team->b[at];
      }
    }
  }
  return sum;
}

// p = r + beta p
static void new_direction(const Options* o, Team* team, double beta) {
  const Grid* g = &team->grid;
#pragma omp parallel num_threads((int)o->inner)
  {
    note(o, team);
#pragma omp for schedule(static)
    for (long k = 1; k <= g->side; ++k) {
      for (long j = 1; j <= g->side; ++j) {
        const size_t line = start_of(g, k, j);
        for (size_t at = line + 1; at <= line + (size_t)g->side; ++at) {
          team->p[at] = team->r[at] + beta * team->p[at];
        }
      }
    }
  }
}

// q = A p; gives p q.
static double apply(const Options* o, Team* team, double diagonal) {
  const Grid* g = &team->grid;
  double sum = 0;
#pragma omp parallel for num_threads((int)o->inner) schedule(static) reduction(+ : sum)
  for (long k = 1; k <= g->side; ++k) {
    for (long j = 1; j <= g->side; ++j) {
      const size_t line = start_of(g, k, j);
      for (size_t at = line + 1; at <= line + (size_t)g->side; ++at) {
        team->q[at] = applied(team->p, g, diagonal, at);
        sum += team->p[at] * team->q[at];
      }
    }
  }
  return sum;
}

// x += alpha p, r -= alpha q; gives r r.
static double step(const Options* o, Team* team, double alpha) {
  const Grid* g = &team->grid;
  double sum = 0;
#pragma omp parallel for num_threads((int)o->inner) schedule(static) reduction(+ : sum)
  for (long k = 1; k <= g->side; ++k) {
    for (long j = 1; j <= g->side; ++j) {
      const size_t line = start_of(g, k, j);
      for (size_t at = line + 1; at <= line + (size_t)g->side; ++at) {
        team->x[at] += alpha * team->p[at];
        team->r[at] -= alpha * team->q[at];
        sum += team->r[at] * team->r[at];
      }
    }
  }
  return sum;
}

static double largest_error(const Options* o, const Team* team, long problem) {
  const Grid* g = &team->grid;
  double most = 0;
#pragma omp parallel for num_threads((int)o->inner) schedule(static) reduction(max : most)
  for (long k = 1; k <= g->side; ++k) {
    for (long j = 1; j <= g->side; ++j) {
      const size_t line = start_of(g, k, j);
      for (long i = 1; i <= g->side; ++i) {
        const double error = fabs(team->x[line + (size_t)i] - solution_at(problem, k, j, i));
        // Not a number counts as wrong, too.
        if (!(error <= most)) most = error >= 0 ? error : INFINITY;
      }
    }
  }
  return most;
}

static void iterate(const Options* o, Team* team, double diagonal, double squares) {
  const double wanted = squares * residual_wanted * residual_wanted;
  double before = squares, beta = 0;
  for (long n = 0; n < most_iterations && before > wanted; ++n) {
    new_direction(o, team, beta);
    const double alpha = before / apply(o, team, diagonal);
    const double now = step(o, team, alpha);
    beta = now / before;
    before = now;
    team->iterations += 1;
  }
}

void solve(const Options* o, Team* team, long problem) {
  const double diagonal = diagonal_of(problem);
  write_solution(o, team, problem);
  iterate(o, team, diagonal, set_up(o, team, diagonal));
  if (o->spoil) team->x[start_of(&team->grid, 1, 1) + 1] += 1;
  const double error = largest_error(o, team, problem);
  if (!(error <= team->error)) team->error = error;
  team->wrong += !(error <= error_allowed);
  team->solved += 1;
}
