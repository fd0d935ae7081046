// The checks of programs with two sides: constructs of one side in a region of the other.
#ifndef LARES_CONFORMANCE_SIDES_H
#define LARES_CONFORMANCE_SIDES_H

#include <dlfcn.h>

#include "orphans.h"

static const struct orphans_side program = ORPHANS_SIDE;

static const struct orphans_side* library(void) {
  static const struct orphans_side* side;
  if (side != NULL) return side;
  void* object = dlopen(getenv("CONFORMANCE_LIBRARY"), RTLD_NOW | RTLD_LOCAL);
  if (object == NULL) conformance_fail(__FILE__, __LINE__, dlerror());
  side = (const struct orphans_side*)dlsym(object, "foreign_library_side");
  CHECK(side != NULL);
  return side;
}

// If both sides share a runtime, one thread of a region takes the other side's single construct.
static int are_apart(const struct orphans_side* region, const struct orphans_side* orphans) {
  struct orphans_done done = {0};
  const int threads = region->region(orphans->single, &done, 1);
  CHECK(done.singles == 1 || done.singles == threads);
  return done.singles == threads;
}

// `times` teams, each of one thread if the sides are apart, have met the constructs; `calls`
// threads.
static void check_done(const struct orphans_done* done, int times, int calls) {
  CHECK_EQUAL(done->wrong, 0);
  CHECK_EQUAL(done->singles, times);
  CHECK_EQUAL(done->iterations, 20 * times);
  CHECK_EQUAL(done->sections, 2 * times);
  CHECK_EQUAL(done->copied, calls);
  CHECK_EQUAL(done->tasks, 10 * calls);
}

__attribute__((unused)) static void all_threads(const struct orphans_side* region,
                                                const struct orphans_side* orphans) {
  struct orphans_done done = {0};
  const int apart = are_apart(region, orphans);
  const int rounds = 25;
  const int threads = region->region(orphans->constructs, &done, rounds);
  check_done(&done, apart ? threads * rounds : rounds, threads * rounds);
}

static void one_thread(const struct orphans_side* region, const struct orphans_side* orphans) {
  struct orphans_done done = {0};
  if (!are_apart(region, orphans)) return;
  region->alone(orphans->constructs, &done, 25);
  check_done(&done, 25, 25);
}

static void tasks(const struct orphans_side* region, const struct orphans_side* orphans) {
  struct orphans_done done = {0};
  if (!are_apart(region, orphans)) return;
  region->in_tasks(orphans->constructs, &done, 25);
  check_done(&done, 25, 25);
}

#endif
