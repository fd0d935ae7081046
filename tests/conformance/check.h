// What the programs of the suite share: named cases, checks that say what was wrong, and a main.
//
// A program prints "ok CASE" for each case in order and exits with 0. The first check that fails
// prints the case, the place and the values, and ends the process with 1. Arguments: names of the
// cases to run (all without any), or --skip=CASE.
#ifndef LARES_CONFORMANCE_CHECK_H
#define LARES_CONFORMANCE_CHECK_H

#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct conformance_case {
  const char* name;
  void (*body)(void);
};

static const char* conformance_current = "start";

/// Ends the process at once: other threads may be inside a parallel region.
static inline void conformance_fail(const char* file, int line, const char* what) {
  printf("FAILED %s (%s:%d): %s\n", conformance_current, file, line, what);
  fflush(stdout);
  _exit(1);
}

static inline void conformance_equal(const char* file, int line, const char* what, long long actual,
                                     long long expected) {
  char text[256];
  if (actual == expected) return;
  snprintf(text, sizeof text, "%s is %lld, expected %lld", what, actual, expected);
  conformance_fail(file, line, text);
}

#define CHECK(condition) \
  ((condition) ? (void)0 : conformance_fail(__FILE__, __LINE__, #condition " is false"))
#define CHECK_EQUAL(actual, expected) \
  conformance_equal(__FILE__, __LINE__, #actual, (long long)(actual), (long long)(expected))

/// Adds one and returns the new value, atomically.
static inline int bump(int* counter) {
  int now;
#pragma omp atomic capture seq_cst
  now = ++*counter;
  return now;
}

static inline int drop(int* counter) {
  int now;
#pragma omp atomic capture seq_cst
  now = --*counter;
  return now;
}

static inline int value_of(const int* counter) {
  int now;
#pragma omp atomic read seq_cst
  now = *counter;
  return now;
}

static inline void set_value(int* counter, int value) {
#pragma omp atomic write seq_cst
  *counter = value;
}

/// Some microseconds of work, to widen the windows in which a wrong order shows.
static inline void linger(int units) {
  volatile int left = units * 100;
  while (left > 0) {
    int next = left - 1;
    left = next;
  }
}

/// Waits until the counter reaches the value. Only for what another *thread* is bound to do.
static inline void await_value(const int* counter, int value) {
  while (value_of(counter) < value) sched_yield();
}

static inline int conformance_wanted(const char* name, int argc, char** argv) {
  int named = 0;
  for (int i = 1; i < argc; i++) {
    if (strncmp(argv[i], "--skip=", 7) == 0) {
      if (strcmp(argv[i] + 7, name) == 0) return 0;
    } else {
      named = 1;
      if (strcmp(argv[i], name) == 0) return 1;
    }
  }
  return !named;
}

static inline int conformance_known(const char* argument, const struct conformance_case* cases,
                                    size_t count) {
  const char* name = strncmp(argument, "--skip=", 7) == 0 ? argument + 7 : argument;
  for (size_t i = 0; i < count; i++)
    if (strcmp(name, cases[i].name) == 0) return 1;
  return 0;
}

static inline int conformance_main(int argc, char** argv, const struct conformance_case* cases,
                                   size_t count) {
  for (int i = 1; i < argc; i++) {
    if (conformance_known(argv[i], cases, count)) continue;
    fprintf(stderr, "no case named '%s'\n", argv[i]);
    return 2;
  }
  alarm(1800);  // whoever started a program that hangs may be gone
  for (size_t i = 0; i < count; i++) {
    if (!conformance_wanted(cases[i].name, argc, argv)) continue;
    conformance_current = cases[i].name;
    cases[i].body();
    printf("ok %s\n", cases[i].name);
    fflush(stdout);
  }
  return 0;
}

#define CASE(function) {#function, function}
#define CASES(...)                                                                   \
  int main(int argc, char** argv) {                                                  \
    static const struct conformance_case conformance_cases[] = {__VA_ARGS__};        \
    return conformance_main(argc, argv, conformance_cases,                           \
                            sizeof conformance_cases / sizeof conformance_cases[0]); \
  }

#endif
