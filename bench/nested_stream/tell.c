// What the program tells Lares. Outside of `lares run` nobody listens, and vectors that are asked
// to move do so all the same.
#include "nested_stream.h"

#include <lares/lares.h>
#include <lares/memory.h>

enum { chunk_bytes = 64 * 4096 };

static void expect(int result, const char* what) {
  if (result == 0) return;
  fprintf(stderr, "nested_stream: %s failed: %s\n", what, lares_memory_error());
  exit(1);
}

static void is_mine(const double* vector, Piece p, enum lares_shake shake) {
  if (p.begin == p.end) return;
  expect(lares_set_thread_affinity(vector + p.begin, (p.end - p.begin) * sizeof *vector, shake),
         "lares_set_thread_affinity");
}

static void follows_touch(double* vector, size_t count) {
  expect(
      lares_migrate_on_next_touch(vector, count * sizeof *vector, chunk_bytes, LARES_WAY_AUTOMATIC),
      "lares_migrate_on_next_touch");
}

static void comes_here(double* vector, Piece p) {
  if (p.begin == p.end) return;
  expect(lares_fetch(vector + p.begin, (p.end - p.begin) * sizeof *vector, NULL), "lares_fetch");
}

static void is_at_home(double* vector, Piece p) {
  if (p.begin == p.end) return;
  expect(lares_attach_thread(vector + p.begin, (p.end - p.begin) * sizeof *vector),
         "lares_attach_thread");
}

void tell_home(const Options* o, const Vectors* v, Piece p) {
  if (o->tell == tell_none) return;
  is_at_home(v->a, p);
  is_at_home(v->b, p);
  is_at_home(v->c, p);
}

void tell_piece(const Options* o, const Vectors* v, Piece p) {
  if (o->tell == tell_none) return;
  expect(lares_set_memory_intensity(1), "lares_set_memory_intensity");
  is_mine(v->a, p, LARES_SHAKE_NOT);
  is_mine(v->b, p, LARES_SHAKE_NOT);
  is_mine(v->c, p, LARES_SHAKE_NOT);
}

void tell_own(const Options* o, const Team* team) {
  const Piece all = {0, team->own.count};
  tell_piece(o, &team->own, all);
}

void tell_load(const Options* o, long passes_left) {
  if (o->tell != tell_none) expect(lares_set_load((double)passes_left), "lares_set_load");
}

// The team goes to the two vectors of mixed data that are elsewhere, or to all three.
static void threads_move(const Options* o, const Vectors* used) {
  const Piece all = {0, used->count};
  expect(lares_clear_thread_affinity(), "lares_clear_thread_affinity");
  if (o->data == data_remote) is_mine(used->c, all, LARES_SHAKE_NOT);
  is_mine(used->b, all, LARES_SHAKE_NOT);
  is_mine(used->a, all, LARES_SHAKE_TEAM);
}

void tell_twisted(const Options* o, const Team* team, const Vectors* used) {
  if (o->tell == tell_threads || o->tell == tell_mixed) threads_move(o, used);
  if (o->tell == tell_mixed) follows_touch(team->own.c, team->own.count);
  if (o->tell == tell_next_touch) {
    follows_touch(used->a, used->count);
    follows_touch(used->b, used->count);
    if (o->data == data_remote) follows_touch(used->c, used->count);
  }
}

void tell_piece_of_phase(const Options* o, const Vectors* used, Piece p) {
  if (o->tell != tell_migrate) return;
  comes_here(used->a, p);
  comes_here(used->b, p);
  if (o->data == data_remote) comes_here(used->c, p);
}
