// teams and target on the host, with tasks inside and around, nowait and dependences.
#include "check.h"

static void tasks_in_teams(void) {
  int done = 0;
  int teams = 0;
#pragma omp teams num_teams(3) thread_limit(4)
  {
    if (omp_get_team_num() == 0) set_value(&teams, omp_get_num_teams());
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 10; i++) {
#pragma omp task shared(done)
      bump(&done);
    }
  }
  CHECK_EQUAL(done, 10 * teams);
}

static void distribute_parallel_loops(void) {
  int cells[200] = {0};
#pragma omp teams distribute parallel for num_teams(2)
  for (int i = 0; i < 200; i++) cells[i]++;
#pragma omp teams distribute parallel for schedule(dynamic, 7)
  for (int i = 0; i < 200; i++) cells[i]++;
  for (int i = 0; i < 200; i++) CHECK_EQUAL(cells[i], 2);
}

static void target_on_the_host(void) {
  int value = 5;
#pragma omp target map(tofrom : value)
  value *= 2;
  CHECK_EQUAL(value, 10);
}

static void target_with_nowait_is_waited_for(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
    int value = i;
#pragma omp target map(tofrom : value) nowait
    value += 1;
#pragma omp taskwait
    CHECK_EQUAL(value, i + 1);
  }
}

static void targets_depend_on_tasks_and_tasks_on_targets(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
    int value = 0;
#pragma omp task depend(out : value) shared(value)
    {
      linger(2);
      value = 1;
    }
#pragma omp target map(tofrom : value) nowait depend(inout : value)
    value = value * 10 + 2;
#pragma omp task depend(inout : value) shared(value)
    value = value * 10 + 3;
#pragma omp target map(tofrom : value) depend(inout : value)
    value = value * 10 + 4;
#pragma omp taskwait
    CHECK_EQUAL(value, 1234);
  }
}

static void data_regions_with_nowait(void) {
  int cells[16];
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 10; round++) {
    for (int i = 0; i < 16; i++) cells[i] = i;
#pragma omp target enter data map(to : cells) nowait depend(out : cells)
#pragma omp target map(tofrom : cells) nowait depend(inout : cells)
    for (int i = 0; i < 16; i++) cells[i]++;
#pragma omp target update from(cells) nowait depend(inout : cells)
#pragma omp target exit data map(from : cells) nowait depend(inout : cells)
#pragma omp taskwait
    for (int i = 0; i < 16; i++) CHECK_EQUAL(cells[i], i + 1);
  }
}

static void a_target_inside_tasks(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
#pragma omp task shared(sum) firstprivate(i)
    {
      int mine = i;
#pragma omp target map(tofrom : mine)
      mine *= 2;
#pragma omp atomic
      sum += mine;
    }
  }
  CHECK_EQUAL(sum, 380);
}

static void target_with_parallel_inside(void) {
  int sum = 0;
#pragma omp target map(tofrom : sum)
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 100; i++) sum += i;
  CHECK_EQUAL(sum, 4950);
#pragma omp target teams distribute parallel for map(tofrom : sum) reduction(+ : sum)
  for (int i = 0; i < 100; i++) sum += i;
  CHECK_EQUAL(sum, 9900);
}

static void a_taskgroup_waits_for_targets(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; i++) {
    int value = 0;
#pragma omp taskgroup
    {
#pragma omp target map(tofrom : value) nowait
      value = 7;
    }
    CHECK_EQUAL(value, 7);
  }
}

CASES(CASE(tasks_in_teams), CASE(distribute_parallel_loops), CASE(target_on_the_host),
      CASE(target_with_nowait_is_waited_for), CASE(targets_depend_on_tasks_and_tasks_on_targets),
      CASE(data_regions_with_nowait), CASE(a_target_inside_tasks),
      CASE(target_with_parallel_inside), CASE(a_taskgroup_waits_for_targets))
