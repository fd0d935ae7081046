// inoutset: members are free of each other; the set keeps its place among other dependences.
// conformance: only clang: GCC 12 does not know the dependence type inoutset
#include "check.h"

static void every_member_runs(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; i++) {
#pragma omp task depend(inoutset : value) shared(value)
    bump(&value);
  }
  CHECK_EQUAL(value, 100);
}

static void the_set_is_after_out_and_before_in(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 10; round++) {
#pragma omp task depend(out : value) shared(value)
    {
      linger(5);
      set_value(&value, 100);
    }
    for (int i = 0; i < 8; i++) {
#pragma omp task depend(inoutset : value) shared(value)
      CHECK(bump(&value) > 100);
    }
#pragma omp task depend(in : value) shared(value)
    CHECK_EQUAL(value, 108);
  }
}

static void the_set_waits_for_readers(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 10; round++) {
    for (int i = 0; i < 5; i++) {
#pragma omp task depend(in : value) shared(value) firstprivate(round)
      {
        linger(1);
        CHECK_EQUAL(value, 5 * round);
      }
    }
    for (int i = 0; i < 5; i++) {
#pragma omp task depend(inoutset : value) shared(value)
      bump(&value);
    }
  }
  CHECK_EQUAL(value, 50);
}

static void inout_after_the_set_waits_for_every_member(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 10; round++) {
    for (int i = 0; i < 6; i++) {
#pragma omp task depend(inoutset : value) shared(value)
      {
        linger(1);
        bump(&value);
      }
    }
#pragma omp task depend(inout : value) shared(value)
    {
      CHECK_EQUAL(value, 6);
      value = 0;
    }
  }
  CHECK_EQUAL(value, 0);
}

static void a_mutex_set_after_an_inout_set(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 10; round++) {
    for (int i = 0; i < 5; i++) {
#pragma omp task depend(inoutset : value) shared(value)
      bump(&value);
    }
    for (int i = 0; i < 5; i++) {
#pragma omp task depend(mutexinoutset : value) shared(value) firstprivate(round)
      {
        CHECK(value >= round * 10 + 5);
        value++;
      }
    }
  }
  CHECK_EQUAL(value, 100);
}

static void a_set_with_inputs(void) {
  int inputs[4] = {0};
  int sum = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 4; i++) {
#pragma omp task depend(out : inputs[i]) shared(inputs) firstprivate(i)
      inputs[i] = i + 1;
#pragma omp task depend(in : inputs[i]) depend(inoutset : sum) shared(inputs, sum) firstprivate(i)
      {
#pragma omp atomic
        sum += inputs[i];
      }
    }
#pragma omp taskwait depend(in : sum)
    CHECK_EQUAL(sum, 10);
  }
}

CASES(CASE(every_member_runs), CASE(the_set_is_after_out_and_before_in),
      CASE(the_set_waits_for_readers), CASE(inout_after_the_set_waits_for_every_member),
      CASE(a_mutex_set_after_an_inout_set), CASE(a_set_with_inputs))
