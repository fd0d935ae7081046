// The vectors, the kernels, and what must stand in the vectors afterwards.
#include "nested_stream.h"

const char* const kernel_names[] = {"copy", "scale", "add", "triad"};

// A pass makes 1.25 a of a: so each pass shows in the values, and 1000 of them do not overflow.
static const double stream_factor = 0.5;

Piece piece_of(size_t count, int member, int members) {
  const size_t pages = (count + page_doubles - 1) / page_doubles;
  const size_t each = pages / (size_t)members;
  const size_t more = pages % (size_t)members;
  const size_t before = each * (size_t)member + ((size_t)member < more ? (size_t)member : more);
  const size_t own = each + ((size_t)member < more);
  Piece p = {before * page_doubles, (before + own) * page_doubles};
  if (p.begin > count) p.begin = count;
  if (p.end > count) p.end = count;
  return p;
}

void make_vectors(Vectors* v, double mb) {
  v->count = (size_t)(mb * 1e6 / sizeof(double));
  const double bytes = (double)v->count * sizeof(double);
  v->a = fresh("nested_stream", bytes);
  v->b = fresh("nested_stream", bytes);
  v->c = fresh("nested_stream", bytes);
}

static double first_a(int team, size_t i) { return team * 5 + (int)(i % 5) + 1; }
static double first_b(int team, size_t i) { return team * 3 + (int)(i % 3) + 2; }
static double first_c(int team, size_t i) { return team * 7 + (int)(i % 7) + 1; }

void write_first(const Vectors* v, int team, Piece p) {
  for (size_t i = p.begin; i < p.end; ++i) {
    v->a[i] = first_a(team, i);
    v->b[i] = first_b(team, i);
    v->c[i] = first_c(team, i);
  }
}

static void copy(double* restrict to, const double* restrict from, Piece p) {
  for (size_t i = p.begin; i < p.end; ++i) to[i] = from[i];
}

static void scale(double* restrict to, const double* restrict from, double factor, Piece p) {
  for (size_t i = p.begin; i < p.end; ++i) to[i] = factor * from[i];
}

static void add(double* restrict to, const double* restrict x, const double* restrict y, Piece p) {
  for (size_t i = p.begin; i < p.end; ++i) to[i] = x[i] + y[i];
}

static void triad(double* restrict to, const double* restrict x, const double* restrict y,
                  double factor, Piece p) {
  for (size_t i = p.begin; i < p.end; ++i) to[i] = x[i] + factor * y[i];
}

void run_triad(const Vectors* v, double factor, Piece p) { triad(v->a, v->b, v->c, factor, p); }

void run_kernel(Kernel kernel, const Vectors* v, Piece p) {
  if (kernel == kernel_copy) {
    copy(v->c, v->a, p);
  } else if (kernel == kernel_scale) {
    scale(v->b, v->c, stream_factor, p);
  } else if (kernel == kernel_add) {
    add(v->c, v->a, v->b, p);
  } else {
    triad(v->a, v->b, v->c, stream_factor, p);
  }
}

long wrong_after_passes(const Vectors* v, int team, long passes, Piece p) {
  // The same operations on one value of each kind give the same bits.
  double a[5], b[5], c[5];
  for (size_t k = 0; k < 5; ++k) {
    a[k] = first_a(team, k);
    for (long pass = 0; pass < passes; ++pass) {
      b[k] = stream_factor * a[k];
      c[k] = a[k] + b[k];
      a[k] = b[k] + stream_factor * c[k];
    }
  }
  long wrong = 0;
  for (size_t i = p.begin; i < p.end; ++i) {
    wrong += v->a[i] != a[i % 5] || v->b[i] != b[i % 5] || v->c[i] != c[i % 5];
  }
  return wrong;
}

long wrong_after_triad(const Vectors* v, int team_of_b, int team_of_c, double factor, Piece p) {
  long wrong = 0;
  for (size_t i = p.begin; i < p.end; ++i) {
    const double b = first_b(team_of_b, i), c = first_c(team_of_c, i);
    wrong += v->b[i] != b || v->c[i] != c || v->a[i] != b + factor * c;
  }
  return wrong;
}
