// What a tied task may rely on: its thread, the thread's own variables, levels and numbers.
// conformance: env OMP_MAX_ACTIVE_LEVELS=2
#include <pthread.h>

#include "check.h"

static int own;
#pragma omp threadprivate(own)
static _Thread_local int native;

static void a_tied_task_stays_on_its_thread(void) {
  int bad = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; i++) {
#pragma omp task shared(bad)
    {
      int me = omp_get_thread_num();
      pthread_t self = pthread_self();
      for (int j = 0; j < 3; j++) {
        int child = 0;
#pragma omp task shared(child)
        child = 1;
#pragma omp taskyield
#pragma omp taskwait
        if (omp_get_thread_num() != me || !pthread_equal(self, pthread_self())) bump(&bad);
      }
#pragma omp taskgroup
      {
#pragma omp task
        linger(1);
      }
      if (omp_get_thread_num() != me) bump(&bad);
    }
  }
  CHECK_EQUAL(bad, 0);
}

static void numbers_are_below_the_size_of_the_team(void) {
  int bad = 0;
#pragma omp parallel
  {
    int team = omp_get_num_threads();
    for (int i = 0; i < 20; i++) {
#pragma omp task shared(bad) firstprivate(team)
      {
        int me = omp_get_thread_num();
        if (me < 0 || me >= team || omp_get_num_threads() != team) bump(&bad);
        if (!omp_in_parallel() && team > 1) bump(&bad);
      }
    }
  }
  CHECK_EQUAL(bad, 0);
}

static void threadprivate_belongs_to_the_thread(void) {
  int bad = 0;
#pragma omp parallel
  {
    own = omp_get_thread_num() + 1000;
    native = omp_get_thread_num() + 2000;
#pragma omp barrier
    for (int i = 0; i < 30; i++) {
#pragma omp task shared(bad)
      {
        int me = omp_get_thread_num();
        if (own != me + 1000 || native != me + 2000) bump(&bad);
#pragma omp task shared(bad)
        if (own != omp_get_thread_num() + 1000) bump(&bad);
#pragma omp taskwait
        if (own != me + 1000 || native != me + 2000) bump(&bad);
      }
    }
  }
  CHECK_EQUAL(bad, 0);
}

static void threadprivate_may_be_written_by_a_tied_task(void) {
  int total = 0;
#pragma omp parallel
  {
    own = 0;
#pragma omp barrier
#pragma omp single
    for (int i = 0; i < 200; i++) {
#pragma omp task
      own++;
    }
#pragma omp atomic
    total += own;
  }
  CHECK_EQUAL(total, 200);
}

static void levels_and_ancestors(void) {
  CHECK_EQUAL(omp_get_level(), 0);
#pragma omp parallel num_threads(2)
  {
    int outer = omp_get_thread_num();
    int outer_size = omp_get_num_threads();
#pragma omp parallel num_threads(2)
    {
      int inner_size = omp_get_num_threads();
      for (int i = 0; i < 5; i++) {
#pragma omp task firstprivate(outer, outer_size, inner_size)
        {
          CHECK_EQUAL(omp_get_level(), 2);
          CHECK_EQUAL(omp_get_ancestor_thread_num(0), 0);
          CHECK_EQUAL(omp_get_ancestor_thread_num(1), outer);
          CHECK_EQUAL(omp_get_ancestor_thread_num(2), omp_get_thread_num());
          CHECK_EQUAL(omp_get_ancestor_thread_num(3), -1);
          CHECK_EQUAL(omp_get_team_size(0), 1);
          CHECK_EQUAL(omp_get_team_size(1), outer_size);
          CHECK_EQUAL(omp_get_team_size(2), inner_size);
          CHECK_EQUAL(omp_get_active_level(), (outer_size > 1) + (inner_size > 1));
        }
      }
    }
#pragma omp task
    {
      CHECK_EQUAL(omp_get_level(), 1);
      CHECK_EQUAL(omp_get_ancestor_thread_num(1), omp_get_thread_num());
    }
  }
}

static void every_thread_of_the_team_is_there(void) {
  int present[64] = {0};
  int team = 0;
#pragma omp parallel
  {
    present[omp_get_thread_num()] = 1;
#pragma omp single
    team = omp_get_num_threads();
  }
  for (int i = 0; i < team; i++) CHECK_EQUAL(present[i], 1);
  for (int i = team; i < 64; i++) CHECK_EQUAL(present[i], 0);
}

CASES(CASE(a_tied_task_stays_on_its_thread), CASE(numbers_are_below_the_size_of_the_team),
      CASE(threadprivate_belongs_to_the_thread), CASE(threadprivate_may_be_written_by_a_tied_task),
      CASE(levels_and_ancestors), CASE(every_thread_of_the_team_is_there))
